#include "trace/cost.hpp"

#include <set>

namespace tfx {

Cost& Cost::operator+=(const Cost& other) {
  parameters += other.parameters;
  macs += other.macs;
  flops += other.flops;
  seconds += other.seconds;
  return *this;
}

Cost cost_of(const Trace& trace, const Step& step) {
  Cost cost;
  cost.seconds = step.seconds;
  if (step.role == Role::parameter) cost.parameters = step.value.size();
  const std::size_t cells = step.value.size();
  const auto input_cells = [&] { return trace[step.how.inputs[0]].size(); };
  const auto input_width = [&] { return trace[step.how.inputs[0]].shape.back(); };
  switch (step.how.op) {
  case Op::matmul:
  case Op::matmul_transposed:
  case Op::weighted_sum:
    cost.macs = cells * input_width();
    cost.flops = 2 * cost.macs + (step.how.inputs.size() == 3 ? cells : 0);
    break;
  case Op::add:
  case Op::subtract:
  case Op::divide_by:
  case Op::normalize:
  case Op::sqrt:
  case Op::add_constant:
  case Op::multiply_by:
  case Op::multiply:
  case Op::relu:
  case Op::sin_cos:
  case Op::exp: cost.flops = cells; break;
  case Op::row_max:
  case Op::row_sum:
  case Op::first_max: cost.flops = input_cells(); break;
  case Op::softmax: cost.flops = 5 * cells; break;
  case Op::entropy: cost.flops = 3 * input_cells(); break;
  case Op::row_norm: cost.flops = 2 * input_cells() + cells; break;
  case Op::row_mean: cost.flops = input_cells() + cells; break;
  case Op::row_variance: cost.flops = 4 * input_cells() + 2 * cells; break;
  case Op::row_std: cost.flops = 4 * input_cells() + 3 * cells; break;
  case Op::log_softmax: cost.flops = 5 * cells + cells / input_width(); break;
  case Op::angle: cost.flops = 2 * cells; break;
  case Op::transposed_matmul:
    cost.macs = input_cells() * step.value.shape.back();
    cost.flops = 2 * cost.macs;
    break;
  case Op::total: cost.flops = (step.how.inputs.size() - 1) * cells; break;
  case Op::sum_over:
    // A cell that is its only input cell is moved, not computed.
    if (input_cells() > cells || step.how.inputs.size() > 1 || step.how.constant != 1)
      cost.flops = step.how.inputs.size() * input_cells();
    break;
  case Op::mean:
    for (const std::string& name : step.how.inputs) cost.flops += trace[name].size() + 1;
    break;
  case Op::divergence: cost.flops = 2 * input_cells() + 1; break;
  case Op::scatter: cost.flops = input_cells(); break;
  case Op::softmax_gradient: cost.flops = 4 * cells; break;
  case Op::log_softmax_gradient: cost.flops = 4 * cells; break;
  case Op::entropy_gradient: cost.flops = 3 * cells; break;
  case Op::relu_gradient: cost.flops = cells; break;
  case Op::divisor_gradient: cost.flops = 2 * input_cells() + cells; break;
  case Op::sqrt_gradient: cost.flops = 2 * cells; break;
  case Op::variance_gradient:
  case Op::std_gradient: cost.flops = 5 * cells; break;
  case Op::cosine: cost.flops = 2 * cells; break;
  case Op::distance: cost.flops = (3 * input_width() + 1) * cells; break;
  case Op::given:
  case Op::mask_fill:
  case Op::causal_mask:
  case Op::padding_mask:
  case Op::both:
  case Op::gather:
  case Op::split_heads:
  case Op::merge_heads:
  case Op::one_hot:
  case Op::smoothed_target:
  case Op::uniform:
  case Op::mask_keep: break;
  }
  return cost;
}

Cost lesson_cost(const Trace& trace) {
  if (trace.measured) return *trace.measured;
  Cost cost;
  std::set<std::string> counted;
  for (const Step& step : trace.steps) {
    if (step.role != Role::result) continue;
    cost += cost_of(trace, step);
    for (const std::string& name : step.how.inputs)
      if (const Step* input = trace.find(name);
          input && input->role == Role::parameter && counted.insert(name).second)
        cost.parameters += input->value.size();
  }
  return cost;
}

Cost total_cost(const Trace& trace) {
  if (trace.measured) return *trace.measured;
  Cost cost;
  for (const Step& step : trace.steps) cost += cost_of(trace, step);
  return cost;
}

} // namespace tfx
