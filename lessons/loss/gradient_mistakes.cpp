#include "lessons/loss/gradient_mistakes.hpp"

namespace tfx {

namespace {

bool is_back(const Step& right, const Op& op) {
  return right.role == Role::gradient && right.operation.is(op);
}

// dYᵀ·X where Xᵀ·dY belongs: the gradient of the transposed weight.
std::optional<Step> weight_transposed(const Trace& t, const Step& right) {
  if (!is_back(right, op::transposed_matmul) || right.name.rfind("dW_", 0) != 0) return {};
  const std::string &X = right.operation.inputs[0], &d = right.operation.inputs[1];
  Step turned = right;
  if (turned.value.rank() != 2) return {};
  turned.value = Tensor({right.value.shape[1], right.value.shape[0]});
  Step wrong = computed_instead(t, turned, d + "ᵀ·" + X, op::transposed_matmul(d, X));
  wrong.labels.assign(2, {});
  return wrong;
}

// What is read several times has a gradient from each: the last one assigned is not their sum.
std::optional<Step> overwritten(const Trace& t, const Step& right) {
  if (!is_back(right, op::total) || right.operation.inputs.size() < 2) return {};
  const std::string& last = right.operation.inputs.back();
  return computed_instead(t, right, last, op::total(last));
}

} // namespace

std::vector<Mistake> gradient_mistakes() {
  return {{"gradient.no_row_sum", {{"@softmax_gradient by weights", "B⊙A"}}},
          {"gradient.no_scale", {{"dscores@divide_by", "A"}}},
          {"gradient.weight_transposed", weight_transposed},
          {"gradient.not_transposed", {{"@matmul_transposed by W_#", "A·B"}}},
          {"gradient.overwritten", overwritten}};
}

} // namespace tfx
