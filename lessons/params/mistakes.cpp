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

std::optional<Step> no_bias(const Trace& t, const Step& right) {
  if (!is_count(t, right, "parameters")) return {};
  return computed_instead(t, right, "weight_count", op::multiply_by("weight_count").with(1, "1"));
}

std::optional<Step> no_output_matrix(const Trace& t, const Step& right) {
  if (!is_count(t, right, "parameters")) return {};
  return cells_instead(right, "weight_count + bias, W_O: 0",
                       [&](std::size_t i) { return i == output_projection ? 0 : right.value.data[i]; });
}

// W_Q of d_model × d_model for each head, where each has d_k columns of one.
std::optional<Step> per_head(const Trace& t, const Step& right) {
  if (!is_count(t, right, "weight_count")) return {};
  const double h = t["h"].data[0];
  return cells_instead(right, "W_Q, W_K, W_V: h·rows⊙columns", [&](std::size_t i) {
    return i < projections ? h * right.value.data[i] : right.value.data[i];
  });
}

// A decoder layer as an encoder layer with one more norm: without the attention to memory.
std::optional<Step> one_attention(const Trace& t, const Step& right) {
  if (!is_count(t, right, "sums")) return {};
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

// What a counter with hooks on modules sees.
std::optional<Step> weights_alone(const Trace& t, const Step& right) {
  if (!is_count(t, right, "layer_macs")) return {};
  return computed_instead(t, right, "weight_macs", op::multiply_by("weight_macs").with(1, "1"));
}

// n queries, where one token is asked for.
std::optional<Step> whole_square(const Trace& t, const Step& right) {
  if (!is_count(t, right, "mixed")) return {};
  const double n = t["n"].data[0];
  return cells_instead(right, "keys⊙keys⊙d_model", [&](std::size_t i) { return n * right.value.data[i]; });
}

std::optional<Step> mac_is_flop(const Trace& t, const Step& right) {
  if (!is_count(t, right, "flops")) return {};
  return computed_instead(t, right, "macs", op::multiply_by("macs").with(1, "1"));
}

std::optional<Step> no_moments(const Trace& t, const Step& right) {
  if (!is_count(t, right, "training_bytes")) return {};
  return computed_instead(t, right, "weight_bytes·(1 + 1)",
                          op::multiply_by("weight_bytes").with(2, "(1 + 1)"));
}

} // namespace

std::vector<Mistake> params_mistakes() {
  return {{"count.no_bias", no_bias},
          {"count.no_output_matrix", no_output_matrix},
          {"count.per_head", per_head},
          {"count.one_attention", one_attention},
          {"count.one_layer", one_layer},
          {"count.table_multiplies", table_multiplies},
          {"count.weights_alone", weights_alone},
          {"count.whole_square", whole_square},
          {"count.mac_is_flop", mac_is_flop},
          {"count.no_moments", no_moments}};
}

} // namespace tfx
