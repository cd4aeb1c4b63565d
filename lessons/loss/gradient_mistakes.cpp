#include "lessons/loss/gradient_mistakes.hpp"

#include <algorithm>

namespace tfx {

namespace {

bool is_back(const Step& right, const Op& op) {
  return right.role == Role::gradient && right.operation.is(op);
}

// weights⊙dweights: what the other weights lose is left out.
std::optional<Step> no_row_sum(const Trace& t, const Step& right) {
  if (!is_back(right, op::softmax_gradient) || right.operation.inputs[1] != "weights") return {};
  const std::string &d = right.operation.inputs[0], &weights = right.operation.inputs[1];
  return computed_instead(t, right, weights + "⊙" + d, op::multiply(d, weights));
}

std::optional<Step> no_scale(const Trace& t, const Step& right) {
  if (!is_back(right, op::divide_by) || right.name != "dscores") return {};
  const std::string& d = right.operation.inputs[0];
  return computed_instead(t, right, d, op::divide_by(d).with(1, "1"));
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

// dY·W where dY·Wᵀ belongs: square matrices do not object.
std::optional<Step> not_transposed(const Trace& t, const Step& right) {
  if (!is_back(right, op::matmul_transposed) || right.operation.inputs[1].rfind("W_", 0) != 0) return {};
  const std::string &d = right.operation.inputs[0], &W = right.operation.inputs[1];
  return computed_instead(t, right, d + "·" + W, op::matmul(d, W));
}

// What is read several times has a gradient from each: the last one assigned is not their sum.
std::optional<Step> overwritten(const Trace& t, const Step& right) {
  if (!is_back(right, op::total) || right.operation.inputs.size() < 2) return {};
  const std::string& last = right.operation.inputs.back();
  return computed_instead(t, right, last, op::total(last));
}

} // namespace

std::vector<Mistake> gradient_mistakes() {
  return {{"gradient.no_row_sum", no_row_sum},
          {"gradient.no_scale", no_scale},
          {"gradient.weight_transposed", weight_transposed},
          {"gradient.not_transposed", not_transposed},
          {"gradient.overwritten", overwritten}};
}

} // namespace tfx
