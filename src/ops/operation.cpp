#include "ops/operation.hpp"

#include "core/error.hpp"
#include "ops/ops.hpp"
#include "ops/shared.hpp"
#include "text/display_width.hpp"

#include <cassert>

namespace tfx {

namespace {

constexpr std::size_t longest_label = 60; // a page names its cells a thousand times: words may be of 1 MB

std::vector<std::string> labels_of(const std::vector<const LabelledTensor*>& inputs, const AxisOf& axis) {
  if (axis.input < 0 || static_cast<std::size_t>(axis.input) >= inputs.size()) return {};
  const Labels& all = inputs[static_cast<std::size_t>(axis.input)]->labels;
  return all.size() <= axis.from_end ? std::vector<std::string>{} : all[all.size() - 1 - axis.from_end];
}

} // namespace

constinit const Op op::given = {.name = "given", .work = free_of_cost};

const std::vector<const Op*>& all_operations() {
  static const std::vector<const Op*> all = [] {
    std::vector<const Op*> list{&op::given};
    const auto add = [&](const auto&... families) {
      (list.insert(list.end(), families.begin(), families.end()), ...);
    };
    add(op::products_family, op::elementwise_family, op::activations_family, op::sums_family, op::rows_family,
        op::softmax_family, op::masks_family, op::gather_family, op::heads_family, op::positions_family,
        op::norms_family, op::losses_family, op::optimizers_family, op::choices_family, op::subwords_family,
        op::repeats_family);
    return list;
  }();
  return all;
}

Operation Operation::with(double number, std::string text) && {
  constant = number;
  constant_text = std::move(text);
  return std::move(*this);
}

Operation Operation::onto(Shape of_result) && {
  shape = std::move(of_result);
  return std::move(*this);
}

std::string gradient_name(const std::string& tensor) {
  return (tensor.find('.') == std::string::npos ? "d" : "d.") + tensor;
}

Tensor compute(const Arguments& arguments) {
  const Op& kind = *arguments.operation().kind;
  if (!kind.value) throw defect("nothing computes " + std::string(kind.name));
  return kind.value(arguments);
}

Labels labels_of(const Operation& operation, const std::vector<const LabelledTensor*>& inputs,
                 const Shape& result) {
  Labels labels(result.size());
  const std::size_t rank = result.size();
  if (rank >= 2) labels[rank - 2] = labels_of(inputs, operation.kind->rows);
  if (rank >= 1) labels[rank - 1] = labels_of(inputs, operation.kind->columns);
  for (std::size_t axis = 0; axis < rank; ++axis)
    if (labels[axis].size() != result[axis]) labels[axis].clear();
  return labels;
}

std::optional<Vjp> vjp(const Computed& step, std::size_t i) {
  const auto rule = step.operation.kind->vjp;
  return rule ? rule(step, i) : std::nullopt;
}

std::string place_name(const LabelledTensor& tensor, std::size_t axis, std::size_t place) {
  const auto& labels = tensor.labels[axis];
  return labels.empty() ? std::to_string(place) : shorten(labels[place], longest_label);
}

std::string cell_name(const LabelledTensor& tensor, const Index& index) {
  assert(index.size() == tensor.value.rank());
  if (index.empty()) return tensor.name;
  std::string text = tensor.name + "[";
  for (std::size_t axis = 0; axis < index.size(); ++axis)
    text += (axis ? ", " : "") + place_name(tensor, axis, index[axis]);
  return text + "]";
}

} // namespace tfx
