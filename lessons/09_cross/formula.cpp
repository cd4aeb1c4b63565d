#include "lessons/layer_formulas.hpp"

namespace tfx::page {

// Q has a row for every word of the decoder, K and V one for every word of the encoder: weights n_q × n_k.
Attention cross_attention(const mat& X, const mat& memory, const Projections& W) {
  return attention(project(X, W.W_Q), project(memory, W.W_K), project(memory, W.W_V));
}

// The source mask hides words of the encoder: n_q × n_k.
Attention cross_attention(const mat& X, const mat& memory, const Projections& W, const mat& mask) {
  return attention(project(X, W.W_Q), project(memory, W.W_K), project(memory, W.W_V), mask);
}

} // namespace tfx::page
