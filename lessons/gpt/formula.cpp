#include "page/layer_formulas.hpp"

namespace tfx::page {

// No mean is taken off, and nothing is learned: only the length changes.
mat rms_norm(const mat& X, double epsilon) {
  const vec mean_square = arma::mean(arma::square(X), 1);
  return X.each_col() / arma::sqrt(mean_square + epsilon);
}

// An encoder layer whose tokens see none that come later. There is no memory to ask.
mat decoder_layer(const mat& X, const DecoderLayer& p, double epsilon) {
  const mat mask = causal_mask(X.n_rows, X.n_rows), x = rms_norm(X, epsilon);
  const auto Q = split_heads(x * p.W_Q, p.heads), K = split_heads(x * p.W_K, p.heads),
             V = split_heads(x * p.W_V, p.heads);
  std::vector<mat> heads;
  for (uword h = 0; h < p.heads; ++h) heads.push_back(attention(Q[h], K[h], V[h], mask).output);
  const mat Y = residual(X, merge_heads(heads) * p.W_O);
  return residual(Y, activated(rms_norm(Y, epsilon) * p.W_1, Activation::relu) * p.W_2);
}

// The row of a token says what comes after it.
mat next_tokens(const uvec& ids, const Decoder& p) {
  mat X = rms_norm(look_up(p.tokens, ids) + p.positions.head_rows(ids.n_elem), p.epsilon);
  for (const DecoderLayer& layer : p.layers) X = decoder_layer(X, layer, p.epsilon);
  return log_softmax(X * p.W_U);
}

// The label of a row is the token of the next one.
double next_token_loss(const mat& log_probs, const uvec& labels) {
  double sum = 0;
  for (uword i = 0; i < labels.n_elem; ++i) sum -= log_probs(i, labels(i));
  return sum / static_cast<double>(labels.n_elem);
}

} // namespace tfx::page
