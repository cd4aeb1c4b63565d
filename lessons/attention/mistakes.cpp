// What learners write instead of softmax(…)·V.

#include "trace/mistake.hpp"

#include <utility>

namespace tfx {

namespace {

// What the output of attention is called: "heads" where there are several.
bool is_mixture(const Trace& t, const Step& step) {
  return step.name == (t.has("K_heads") ? "heads" : "output") && t.has("weights") && t.has(per_head(t, "V"));
}

// The scores themselves taken for weights.
std::optional<Step> no_softmax(const Trace& t, const Step& right) {
  if (right.name != "weights") return {};
  const std::string of = softmax_input(t);
  return computed_instead(t, right, of, op::multiply_by(of).with(1, "1"));
}

// weightsᵀ·V: each value is spread over the queries.
std::optional<Step> weights_transposed(const Trace& t, const Step& right) {
  if (!is_mixture(t, right)) return {};
  const std::string weights = t.has("dropped") ? "dropped" : "weights", V = per_head(t, "V");
  Shape turned = t[weights].shape;
  const Shape& v = t[V].shape;
  std::swap(turned[turned.size() - 2], turned.back());
  if (turned.back() != v[v.size() - 2])
    refuse_shapes(with_shape(weights + "ᵀ", turned) + " · " + with_shape(V, v), turned.back(),
                  v[v.size() - 2]);
  return computed_instead(t, right, weights + "ᵀ·" + V, op::transposed_matmul(weights, V));
}

// weights·K
std::optional<Step> keys_for_values(const Trace& t, const Step& right) {
  if (!is_mixture(t, right)) return {};
  const std::string weights = t.has("dropped") ? "dropped" : "weights", K = per_head(t, "K");
  return computed_instead(t, right, weights + "·" + K, op::weighted_sum(weights, K));
}

} // namespace

std::vector<Mistake> attention_mistakes() {
  return {{"attention.no_softmax", no_softmax},
          {"attention.weights_transposed", weights_transposed},
          {"attention.keys_for_values", keys_for_values}};
}

} // namespace tfx
