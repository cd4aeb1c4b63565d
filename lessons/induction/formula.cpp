#include "page/layer_formulas.hpp"

namespace tfx::page {

// Without a feed-forward, a token only adds up what attention reads.
mat attention_layer(const mat& X, const AttentionLayer& p, uword heads) {
  const mat mask = causal_mask(X.n_rows, X.n_rows), x = layer_norm(X, p.gain, p.shift, Norm::layer).output;
  const auto Q = split_heads(x * p.W_Q, heads), K = split_heads(x * p.W_K, heads),
             V = split_heads(x * p.W_V, heads);
  std::vector<mat> mixed;
  for (uword h = 0; h < heads; ++h) mixed.push_back(attention(Q[h], K[h], V[h], mask).output);
  return residual(X, merge_heads(mixed) * p.W_O);
}

mat next_tokens(const uvec& ids, const AttentionAlone& p) {
  mat X = look_up(p.tokens, ids) + p.positions.head_rows(ids.n_elem);
  for (const AttentionLayer& layer : p.layers) X = attention_layer(X, layer, p.heads);
  return log_softmax(layer_norm(X, p.gain, p.shift, Norm::layer).output * p.W_U);
}

std::optional<uword> stood_before(const uvec& ids, uword q) {
  for (uword k = q; k-- > 0;)
    if (ids(k) == ids(q)) return k;
  return {};
}

// What stood behind the token last time is what should come now.
double induction_score(const mat& weights, const uvec& ids) {
  double sum = 0, count = 0;
  for (uword q = 0; q < ids.n_elem; ++q)
    if (const auto k = stood_before(ids, q)) sum += weights(q, *k + 1), ++count;
  return count > 0 ? sum / count : 0;
}

mat copies(const mat& W_E, const mat& W_V, const mat& W_O, const mat& W_U) {
  return W_E * W_V * W_O * W_U;
}

// The head before has written to each place which token stood just before it.
mat matches(const mat& W_E, const AttentionLayer& before, const mat& W_Q, const mat& W_K) {
  const mat moved = W_E * before.W_V * before.W_O;
  return (W_E * W_Q) * (moved * W_K).t();
}

} // namespace tfx::page
