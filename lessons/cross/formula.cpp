#include "page/layer_formulas.hpp"

namespace tfx::page {

// Q has a row for every word of the decoder, K and V one for every word of the encoder: weights n_q × n_k.
Attention cross_attention(const mat& X, const mat& memory, const Projections& p) {
  return attention(project(X, p.W_Q, p.b_Q), project(memory, p.W_K, p.b_K), project(memory, p.W_V, p.b_V));
}

Attention cross_attention(const mat& X, const mat& memory, const Projections& p, const mat& mask,
                          double masked_row) {
  return attention(project(X, p.W_Q, p.b_Q), project(memory, p.W_K, p.b_K), project(memory, p.W_V, p.b_V),
                   mask, masked_row);
}

} // namespace tfx::page
