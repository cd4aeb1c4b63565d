#include "page/formulas.hpp"

namespace tfx::page {

// softmax(Q·Kᵀ/√d_k)·V
Attention attention(const mat& Q, const mat& K, const mat& V) {
  Attention a;
  a.scores = scores(Q, K);
  a.scaled = scale(a.scores, static_cast<double>(K.n_cols));
  a.weights = softmax(a.scaled).weights;
  a.output = weighted_sum(a.weights, V);
  return a;
}

} // namespace tfx::page
