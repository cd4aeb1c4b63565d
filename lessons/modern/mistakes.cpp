// What learners get wrong in today's block.

#include "core/tensor.hpp"
#include "page/layer_formulas.hpp"
#include "trace/mistake.hpp"

#include <cmath>

namespace tfx {

namespace {

/// The non-linearity on the branch that should only multiply.
std::optional<Step> other_branch(const Trace& t, const Step& right) {
  if (right.name != "mlp.gated" || !t.has("mlp.hidden") || !t.has("mlp.factor")) return {};
  const Tensor &hidden = t["mlp.hidden"], &factor = t["mlp.factor"];
  return cells_instead(right, "mlp.hidden ⊙ silu(mlp.factor)", [&](std::size_t i) {
    return hidden.data[i] * factor.data[i] / (1 + std::exp(-factor.data[i]));
  });
}

/// Head i reads the keys of head i mod kv: repeat() where it should be repeat_interleave().
std::optional<Step> groups_tiled(const Trace& t, const Step& right) {
  if (!right.operation.is(op::repeat_heads)) return {};
  const Tensor& few = t[right.operation.inputs[0]];
  const Shape& shape = right.value.shape;
  const std::size_t heads = shape[shape.size() - 3], kv = few.shape[few.rank() - 3],
                    size = shape.back() * shape[shape.size() - 2];
  if (kv == 1) return {};
  return cells_instead(right, "tile(" + right.operation.inputs[0] + ")",
                       [&, heads, kv, size](std::size_t cell) {
                         const std::size_t head = cell / size % heads, sentence = cell / size / heads;
                         return few.data[(sentence * kv + head % kv) * size + cell % size];
                       });
}

/// Values are read, not compared: nothing of them turns.
std::optional<Step> values_turned(const Trace& t, const Step& right) {
  if (right.name != "attn.V_heads" || !t.has("attn.K_heads")) return {};
  const Operation& keys = t.step_named("attn.K_heads").operation;
  if (!keys.is(op::rotate)) return {};
  const arma::mat angles = matrix(t[keys.inputs[1]]);
  const auto apart = static_cast<arma::uword>(std::abs(keys.constant));
  return valued_instead(
      right, "rotate(split(attn.V), angles)",
      for_each_matrix(right.value, [&](const arma::mat& V) { return page::rotated(V, angles, apart); }));
}

/// A window of w tokens before the query, and the query itself.
std::optional<Step> window_wider(const Trace& t, const Step& right) {
  if (!right.operation.is(op::causal_window)) return {};
  const double window = right.operation.constant + 1;
  const auto text = std::to_string(static_cast<std::size_t>(window));
  const Operation other = op::causal_window(right.operation.inputs[0]).with(window, text);
  return computed_instead(t, right, op::causal_window.formula(other), other);
}

} // namespace

std::vector<Mistake> modern_mistakes() {
  return in_own_lesson(
      {Mistake{"modern.mean_taken_off",
               {{"attn_norm.squares, mlp_norm.squares", "(A − rowmean(A))⊙(A − rowmean(A))"}}}
           .mended_by("(x * x).mean(-1, keepdims=True)", "x.pow(2).mean(-1, keepdim=True)",
                      "arma::mean(arma::square(X), 1)"),
       {"modern.no_root", {{"attn_norm.divisor, mlp_norm.divisor", "A"}}},
       {"modern.sum_for_mean", {{"attn_norm.mean_square, mlp_norm.mean_square", "rowsum(A)"}}},
       Mistake{"modern.no_gate", {{"mlp.gated", "A"}}}.mended_by(
           "silu(x @ W_1) * (x @ W_3)", "F.silu(x @ W_1) * (x @ W_3)", "silu(X * W_1) % (X * W_3)"),
       Mistake{"modern.gate_added", {{"mlp.gated", "A + B"}}}.mended_by(
           "silu(x @ W_1) * (x @ W_3)", "F.silu(x @ W_1) * (x @ W_3)", "silu(X * W_1) % (X * W_3)"),
       {"modern.other_branch", other_branch},
       {"modern.sigmoid", {{"mlp.activated", "1/(1 + e^(−A))", "σ(mlp.hidden)"}}},
       Mistake{"modern.groups_tiled", groups_tiled}
           .mended_by("np.repeat(K, group, axis=0)", "K.repeat_interleave(group, dim=0)",
                      "K.slice(i / group)")
           .seen_by({{"--heads", "4"}}),
       {"modern.values_turned", values_turned},
       Mistake{"modern.window_wider", window_wider}.seen_by({{"--window", "2"}}),
       {"modern.residual_normed",
        {{"between@add if attn_norm", "attn_norm + B"}, {"output@add if mlp_norm", "mlp_norm + B"}}}});
}

} // namespace tfx
