// What learners write instead of X·W_Q, X·W_K, X·W_V.

#include "trace/mistake.hpp"

namespace tfx {

namespace {

bool is_projection(const Step& step) {
  return step.operation.is(op::matmul) && (step.name == "Q" || step.name == "K" || step.name == "V");
}

// The same projection by the weight, and bias, of another letter.
std::optional<Step> projected_by(const std::string& letter, const Trace& t, const Step& right) {
  const std::string &X = right.operation.inputs[0], W = "W_" + letter, b = "b_" + letter;
  if (right.operation.inputs.size() == 3 && t.has(b))
    return computed_instead(t, right, X + "·" + W + " + " + b, op::matmul(X, W, b));
  return computed_instead(t, right, X + "·" + W, op::matmul(X, W));
}

// nn.Linear's weight is (d_out, d_in), and taken as it is.
std::optional<Step> weight_transposed(const Trace& t, const Step& right) {
  if (!is_projection(right)) return {};
  const std::vector<std::string>& inputs = right.operation.inputs;
  const std::string formula = inputs[0] + "·" + inputs[1] + "ᵀ";
  Step product = computed_instead(t, right, formula, op::matmul_transposed(inputs[0], inputs[1]));
  if (inputs.size() == 2) return product;
  const Tensor& b = t[inputs[2]];
  for (std::size_t i = 0; i < product.value.size(); ++i) product.value.data[i] += b.data[i % b.size()];
  return valued_instead(right, formula + " + " + inputs[2], std::move(product.value));
}

std::optional<Step> v_from_wk(const Trace& t, const Step& right) {
  if (!is_projection(right) || right.name != "V" || !t.has("W_K")) return {};
  return projected_by("K", t, right);
}

std::optional<Step> k_from_wq(const Trace& t, const Step& right) {
  if (!is_projection(right) || right.name != "K" || !t.has("W_Q")) return {};
  return projected_by("Q", t, right);
}

std::optional<Step> no_bias(const Trace& t, const Step& right) {
  if (!is_projection(right) || right.operation.inputs.size() != 3) return {};
  const std::string &X = right.operation.inputs[0], &W = right.operation.inputs[1];
  return computed_instead(t, right, X + "·" + W, op::matmul(X, W));
}

} // namespace

std::vector<Mistake> qkv_mistakes() {
  return {Mistake{"qkv.weight_transposed", weight_transposed}.mended_by("X @ W", "X @ W", "X * W"),
          {"qkv.v_from_wk", v_from_wk},
          {"qkv.k_from_wq", k_from_wq},
          {"qkv.no_bias", no_bias}};
}

} // namespace tfx
