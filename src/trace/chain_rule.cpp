#include "trace/chain_rule.hpp"

namespace tfx {

namespace {

StepBack sum(const std::string& d, const std::string& factor = {}, int sign = 1) {
  const std::string terms = factor.empty() ? d : d + "⊙" + factor;
  std::vector<std::string> inputs{d};
  if (!factor.empty()) inputs.push_back(factor);
  return {(sign < 0 ? "−sum(" : "sum(") + terms + ")",
          how::of(Op::sum_over, inputs, sign, std::to_string(sign))};
}

// The same cells where the shapes agree, else their sum over what was repeated.
StepBack passed(const Trace& t, const Step& step, std::size_t i, int sign = 1) {
  StepBack back = sum(gradient_name(step.name), {}, sign);
  if (t[step.how.inputs[i]].shape == step.value.shape)
    back.formula = (sign < 0 ? "−" : "") + gradient_name(step.name);
  return back;
}

StepBack with_constant(Op op, const std::string& d, const How& how) {
  return {d + (op == Op::divide_by ? "/" : "·") + how.constant_text,
          how::of(op, {d}, how.constant, how.constant_text)};
}

} // namespace

std::string gradient_name(const std::string& tensor) {
  return "d" + tensor;
}

std::optional<StepBack> step_back(const Trace& t, const Step& step, std::size_t i) {
  const How& how = step.how;
  const std::string d = gradient_name(step.name), &A = how.inputs[0],
                    &B = how.inputs[how.inputs.size() > 1 ? 1 : 0];
  const bool first = i == 0;
  switch (how.op) {
  case Op::matmul:
    if (first) return StepBack{d + "·" + B + "ᵀ", how::of(Op::matmul_transposed, {d, B})};
    if (i == 1) return StepBack{A + "ᵀ·" + d, how::of(Op::transposed_matmul, {A, d})};
    return StepBack{"colsum(" + d + ")", sum(d).how};
  case Op::matmul_transposed:
    if (first) return StepBack{d + "·" + B, how::of(Op::weighted_sum, {d, B})};
    return StepBack{d + "ᵀ·" + A, how::of(Op::transposed_matmul, {d, A})};
  case Op::weighted_sum:
    if (first) return StepBack{d + "·" + B + "ᵀ", how::of(Op::matmul_transposed, {d, B})};
    return StepBack{A + "ᵀ·" + d, how::of(Op::transposed_matmul, {A, d})};
  case Op::add:
  case Op::add_constant: return passed(t, step, i);
  case Op::subtract: return passed(t, step, i, first ? 1 : -1);
  case Op::multiply: {
    const std::string& other = first ? B : A;
    if (t[how.inputs[i]].shape == step.value.shape)
      return StepBack{d + "⊙" + other, how::of(Op::multiply, {d, other})};
    return sum(d, other);
  }
  case Op::divide_by:
  case Op::multiply_by: return with_constant(how.op, d, how);
  case Op::exp: return StepBack{d + "⊙" + step.name, how::of(Op::multiply, {d, step.name})};
  case Op::sqrt: return StepBack{d + "/(2·" + step.name + ")", how::of(Op::sqrt_gradient, {d, step.name})};
  case Op::relu: return StepBack{"where(" + A + " > 0, " + d + ", 0)", how::of(Op::relu_gradient, {d, A})};
  case Op::row_sum: return StepBack{"repeat(" + d + ")", sum(d).how};
  case Op::row_mean: {
    const std::size_t m = t[A].shape.back();
    return StepBack{"repeat(" + d + "/" + std::to_string(m) + ")",
                    how::of(Op::divide_by, {d}, static_cast<double>(m), std::to_string(m))};
  }
  case Op::row_variance:
    return StepBack{"2·(" + A + " − mean)·" + d + "/" + std::to_string(t[A].shape.back()),
                    how::of(Op::variance_gradient, {d, A})};
  case Op::row_std:
    return StepBack{"(" + A + " − mean)·" + d + "/(" + std::to_string(t[A].shape.back() - 1) + "·" +
                        step.name + ")",
                    how::of(Op::std_gradient, {d, A, step.name})};
  case Op::normalize:
    if (first) return StepBack{d + "/" + B, how::of(Op::normalize, {d, B})};
    return StepBack{"−rowsum(" + d + "⊙" + step.name + ")/" + B,
                    how::of(Op::divisor_gradient, {d, step.name, B})};
  case Op::softmax:
    return StepBack{step.name + "⊙(" + d + " − rowsum(" + d + "⊙" + step.name + "))",
                    how::of(Op::softmax_gradient, {d, step.name})};
  case Op::log_softmax:
    return StepBack{d + " − e^" + step.name + "·rowsum(" + d + ")",
                    how::of(Op::log_softmax_gradient, {d, step.name})};
  case Op::entropy: return StepBack{"−" + d + "·(ln " + A + " + 1)", how::of(Op::entropy_gradient, {d, A})};
  case Op::mask_fill:
    if (first) return StepBack{"where(" + B + ", " + d + ", 0)", how::of(Op::mask_keep, {d, B})};
    return std::nullopt;
  case Op::gather:
    if (first) return StepBack{"scatter_add(" + d + ", " + B + ")", how::of(Op::scatter, {d, B})};
    return std::nullopt;
  case Op::split_heads: return StepBack{"merge(" + d + ")", how::of(Op::merge_heads, {d})};
  case Op::merge_heads: {
    const Shape& heads = t[A].shape;
    const std::size_t h = heads[heads.size() - 3];
    return StepBack{"split(" + d + ", h = " + std::to_string(h) + ")",
                    how::of(Op::split_heads, {d}, static_cast<double>(h))};
  }
  case Op::divergence:
    if (first)
      return StepBack{"−" + B + "/" + how.constant_text,
                      how::of(Op::divide_by, {B}, -how.constant, "(−" + how.constant_text + ")")};
    return std::nullopt;
  case Op::mean: {
    const std::string count = "1/" + std::to_string(t[how.inputs[i]].size());
    return StepBack{count, how::of(Op::uniform, {how.inputs[i]},
                                   1 / static_cast<double>(t[how.inputs[i]].size()), count)};
  }
  default: return std::nullopt;
  }
}

} // namespace tfx
