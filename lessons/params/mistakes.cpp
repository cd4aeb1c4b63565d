// What goes wrong in counting: parameters that are left out or counted once a head, products that no module
// shows, and numbers that training keeps besides.

#include "trace/mistake.hpp"

namespace tfx {

namespace {

bool is_count(const Trace& t, const Step& right, const char* name) {
  return t.lesson == "params" && right.name == name;
}

/// Of a matrix by its place among the kinds: W_Q, W_K, W_V, W_O …
constexpr std::size_t projections = 3, output_projection = 3, attention = 4;

// A decoder layer as an encoder layer with one more norm: without the attention to memory.
std::optional<Step> one_attention(const Trace& t, const Step& right) {
  const bool has_encoder = right.value.size() == 3; // a decoder alone has one attention a layer
  if (!is_count(t, right, "sums") || !has_encoder) return {};
  const Tensor& parameters = t["parameters"];
  double cross = 0;
  for (std::size_t i = 0; i < attention; ++i) cross += parameters.data[i];
  return cells_instead(right, "Σ copies⊙parameters − src_attn",
                       [&](std::size_t i) { return right.value.data[i] - (i == 1 ? cross : 0); });
}

std::optional<Step> one_layer(const Trace& t, const Step& right) {
  if (!is_count(t, right, "total")) return {};
  return computed_instead(t, right, "Σ sums", op::sum_over("sums").with(1, "1"));
}

// Every parameter multiplies: "a MAC each".
std::optional<Step> table_multiplies(const Trace& t, const Step& right) {
  if (!is_count(t, right, "weight_macs")) return {};
  return computed_instead(t, right, "Σ copies⊙weight_count",
                          op::sum_over("copies", "weight_count").with(1, "1").onto(Shape(right.value.shape)));
}

} // namespace

std::vector<Mistake> params_mistakes() {
  return in_own_lesson(
      {{"count.no_bias", {{"parameters", "weight_count"}}},
       {"count.no_output_matrix", {{"parameters", "where([i = 3], 0, x)", "weight_count + bias, W_O: 0"}}},
       {"count.per_head", {{"weight_count", "where([i < 3], h⊙x, x)", "W_Q, W_K, W_V: h·rows⊙columns"}}},
       {"count.one_attention", one_attention},
       {"count.one_layer", one_layer},
       {"count.table_multiplies", table_multiplies},
       {"count.weights_alone", {{"layer_macs", "weight_macs"}}},
       {"count.whole_square", {{"mixed", "n⊙x", "keys⊙keys⊙d_model"}}},
       {"count.mac_is_flop", {{"flops", "macs"}}},
       {"count.no_moments", {{"training_bytes", "weight_bytes·(1 + 1)"}}}});
}

} // namespace tfx
