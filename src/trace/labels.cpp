#include "trace/labels.hpp"

#include "text/display_width.hpp"

#include <cassert>

namespace tfx {

namespace {

using Axis = std::vector<std::string>;

constexpr std::size_t longest_label = 60; // a page names its cells a thousand times: words may be of 1 MB

// Axis `from_end` places before the last, of an input; empty where the input has no such axis.
Axis axis_of(const Trace& trace, const std::string& input, std::size_t from_end) {
  const Step* step = trace.find(input);
  if (!step || step->labels.size() <= from_end) return {};
  return step->labels[step->labels.size() - 1 - from_end];
}

} // namespace

Labels propagate_labels(const Trace& trace, const How& how, const Shape& result) {
  Labels labels(result.size());
  const std::size_t rank = result.size();
  if (rank < 1 || how.inputs.empty()) return labels;
  const auto set_row = [&](Axis axis) {
    if (rank >= 2) labels[rank - 2] = std::move(axis);
  };
  const std::string& first = how.inputs[0];
  switch (how.op) {
  case Op::given: break;
  case Op::matmul:
  case Op::weighted_sum:
    set_row(axis_of(trace, first, 1));
    labels[rank - 1] = axis_of(trace, how.inputs[1], 0);
    break;
  case Op::matmul_transposed:
    set_row(axis_of(trace, first, 1));
    labels[rank - 1] = axis_of(trace, how.inputs[1], 1);
    break;
  case Op::distance:
    set_row(axis_of(trace, first, 1));
    labels[rank - 1] = axis_of(trace, first, 1);
    break;
  case Op::gather: set_row(axis_of(trace, how.inputs[1], 0)); break;
  case Op::row_max:
  case Op::row_sum:
  case Op::entropy:
  case Op::row_mean:
  case Op::row_variance:
  case Op::row_std:
  case Op::split_heads:
  case Op::merge_heads: set_row(axis_of(trace, first, 1)); break;
  case Op::angle: set_row(axis_of(trace, first, 0)); break;
  case Op::one_hot:
    set_row(axis_of(trace, how.inputs[1], 0));
    labels[rank - 1] = axis_of(trace, first, 1);
    break;
  case Op::smoothed_target:
    set_row(axis_of(trace, first, 0));
    labels[rank - 1] = axis_of(trace, how.inputs[2], 0);
    break;
  case Op::row_norm: labels[rank - 1] = axis_of(trace, first, 1); break;
  case Op::causal_mask:
  case Op::padding_mask:
  case Op::both:
  default: set_row(axis_of(trace, first, 1)); labels[rank - 1] = axis_of(trace, first, 0);
  }
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (labels[axis].size() != result[axis]) labels[axis].clear();
  return labels;
}

std::vector<std::string> numbered(const std::string& letter, std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= n; ++i) names.push_back(letter + std::to_string(i));
  return names;
}

std::string row_label(const Trace& trace, const std::string& name, std::size_t i) {
  const Step* step = trace.find(name);
  if (!step || step->labels.size() < 2 || step->labels[step->labels.size() - 2].empty())
    return std::to_string(i);
  return step->labels[step->labels.size() - 2][i];
}

bool named_once(const Trace& trace, const std::string& name, std::size_t i) {
  const auto rows = trace[name].shape[trace[name].rank() - 2];
  const std::string label = row_label(trace, name, i);
  for (std::size_t other = 0; other < rows; ++other)
    if (other != i && row_label(trace, name, other) == label) return false;
  return true;
}

std::string cell_name(const Step& step, const Index& index) {
  assert(index.size() == step.value.rank());
  if (index.empty()) return step.name;
  std::string text = step.name + "[";
  for (std::size_t axis = 0; axis < index.size(); ++axis) {
    const Axis& labels = step.labels[axis];
    text += (axis ? ", " : "") +
            (labels.empty() ? std::to_string(index[axis]) : shorten(labels[index[axis]], longest_label));
  }
  return text + "]";
}

} // namespace tfx
