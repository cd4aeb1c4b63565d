// What learners get wrong in a decoder of their own.

#include "trace/mistake.hpp"

namespace tfx {

namespace {

bool is_in_layer(const Step& step, const Op& kind) {
  return step.name.starts_with("decoder.layers.") && step.operation.is(kind);
}

/// The norm that a sublayer's sum follows: "decoder.layers.0.sublayer.1.norm".
std::string norm_of_sum(const Trace& t, const Step& right) {
  if (!right.operation.is(op::add)) return {};
  if (right.name.find(".sublayer.") != std::string::npos)
    return right.name.substr(0, right.name.rfind('.')) + ".norm";
  if (right.name != "decoder.output") return {};
  const std::string& x = right.operation.inputs[0]; // decoder.layers.0.sublayer.0.output
  std::string norm = x.substr(0, x.rfind('.')) + ".norm";
  const std::size_t number = norm.rfind(".0.norm");
  if (number != std::string::npos) norm.replace(number, 7, ".1.norm");
  return t.has(norm) ? norm : std::string();
}

/// x = norm(x), and the residual adds that.
std::optional<Step> residual_normed(const Trace& t, const Step& right) {
  const std::string norm = norm_of_sum(t, right);
  if (norm.empty() || !t.has(norm)) return {};
  const Operation other = op::add(norm, right.operation.inputs[1]);
  return computed_instead(t, right, other.kind->formula(other), other);
}

/// Each token comes alone, with the cache, and is told that it is the first.
std::optional<Step> positions_restarted(const Trace& t, const Step& right) {
  if (right.name != "tgt_embed.pe" || !right.operation.is(op::gather)) return {};
  const Tensor& table = t[right.operation.inputs[0]];
  const std::size_t d = table.shape.back();
  return cells_instead(right, right.operation.inputs[0] + "[0]",
                       [&](std::size_t i) { return table.data[i % d]; });
}

/// x·W with nn.Linear's matrix, which fits where it is square.
std::optional<Step> weights_transposed(const Trace& t, const Step& right) {
  const auto& in = right.operation.inputs;
  if (!is_in_layer(right, op::matmul_transposed) || in.size() != 2) return {};
  const Shape& W = t[in[1]].shape;
  if (W.size() != 2 || W[0] != W[1]) return {};
  const Operation other = op::matmul(in[0], in[1]);
  return computed_instead(t, right, other.kind->formula(other), other);
}

/// Each row is asked for its own token.
std::optional<Step> not_shifted(const Trace& t, const Step& right) {
  if (right.name != "target" || !right.operation.is(op::smoothed_target) || !t.has("tgt")) return {};
  const Tensor &ids = t["tgt"], &labels = t["labels"];
  const double unknown = padding_of(t);
  const std::size_t V = right.value.shape.back();
  return cells_instead(right, "onehot(tgt)", [&](std::size_t i) {
    const std::size_t row = i / V;
    return labels.data[row] != unknown && ids.data[row] == static_cast<double>(i % V) ? 1.0 : 0.0;
  });
}

} // namespace

std::vector<Mistake> gpt_mistakes() {
  return in_own_lesson({{"gpt.no_mask", {{"decoder.layers.#@mask_fill", "A"}}},
                        {"gpt.sees_next", {{"decoder.layers.#@causal_mask", "[j ≤ i + 1]"}}},
                        {"gpt.no_scale", {{"decoder.layers.#@divide_by", "A"}}},
                        {"gpt.scale_no_root", {{"decoder.layers.#@divide_by", "A/c²", "A/d_k"}}},
                        {"gpt.no_root", {{"#@sqrt", "A"}}},
                        {"gpt.residual_normed", residual_normed},
                        {"gpt.no_residual", {{"decoder.layers.#@add", "B"}, {"decoder.output@add", "B"}}},
                        {"gpt.no_positions", {{"tgt_embed.sum@add", "A"}, {"tgt_embed@add", "A"}}},
                        {"gpt.positions_restarted", positions_restarted},
                        {"gpt.weights_transposed", weights_transposed},
                        {"gpt.no_activation", {{"decoder.layers.#@relu", "A"}}},
                        {"gpt.not_shifted", not_shifted},
                        {"gpt.counts_unknown", {{"loss@divergence", "x·tokens/rows"}}}});
}

} // namespace tfx
