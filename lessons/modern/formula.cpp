#include "page/layer_formulas.hpp"

#include <algorithm>
#include <cmath>

namespace tfx::page {

mat swiglu(const mat& X, const mat& W_1, const mat& W_3, const mat& W_2) {
  const mat gate = activated(X * W_1, Activation::silu);
  return (gate % (X * W_3)) * W_2;
}

mat rms_normed(const mat& A, const rowvec& gain, double epsilon) {
  return rms_norm(A, epsilon).each_row() % gain;
}

mat grouped_attention(const mat& X, const TodaysBlock& p) {
  const uword n = X.n_rows, group = p.heads / p.kv_heads, d_k = p.W_Q.n_cols / p.heads;
  const mat angles = rotary_angles(arma::regspace(0, static_cast<double>(n) - 1), d_k / 2, p.base);
  const auto placed = [&](const mat& A, const rowvec& gain) { // normed, where the model does it, and turned
    return rotated(gain.is_empty() ? A : rms_normed(A, gain, p.epsilon), angles, apart(p.pairs, d_k));
  };
  mat mask = causal_mask(n, n);
  for (uword q = 0; q < n; ++q) mask.row(q).head(first_seen(q, p.window)).zeros();
  const std::vector<mat> Q = split_heads(X * p.W_Q, p.heads), K = split_heads(X * p.W_K, p.kv_heads),
                         V = split_heads(X * p.W_V, p.kv_heads);
  std::vector<mat> heads;
  for (uword i = 0; i < p.heads; ++i) // neighbours share a key
    heads.push_back(
        attention(placed(Q[i], p.gain_Q), placed(K[i / group], p.gain_K), V[i / group], mask).output);
  return merge_heads(heads) * p.W_O;
}

mat todays_block(const mat& X, const TodaysBlock& p) {
  const mat Y = X + grouped_attention(rms_normed(X, p.gain_1, p.epsilon), p);
  return Y + swiglu(rms_normed(Y, p.gain_2, p.epsilon), p.W_1, p.W_3, p.W_2);
}

// A larger maximum makes what was summed before smaller, by e^(old − new).
void add_tile(RunningRow& row, const rowvec& scaled, const mat& V) {
  if (row.output.is_empty()) row.output.zeros(V.n_cols);
  const double max = std::max(row.max, scaled.max()), correction = std::exp(row.max - max);
  const rowvec e = arma::exp(scaled - max);
  row.sum = row.sum * correction + arma::accu(e);
  row.output = row.output * correction + e * V;
  row.max = max;
}

mat tiled_attention(const mat& Q, const mat& K, const mat& V, uword tile, uword window) {
  mat output(Q.n_rows, V.n_cols);
  for (uword q = 0; q < Q.n_rows; ++q) {
    RunningRow row;
    for (uword first = first_seen(q, window); first <= q;
         first += tile) { // the tiles behind it are not even read
      const uword last = std::min(first + tile - 1, q);
      const rowvec scaled = Q.row(q) * K.rows(first, last).t() / std::sqrt(static_cast<double>(K.n_cols));
      add_tile(row, scaled, V.rows(first, last));
    }
    output.row(q) = row.output / row.sum;
  }
  return output;
}

} // namespace tfx::page
