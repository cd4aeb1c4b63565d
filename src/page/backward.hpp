#pragma once
// How one number L, a loss, moves with every cell before it: dX holds ∂L/∂X and has the shape of X. Each
// formula takes the gradient of a stage's result and gives that of its input; the line of the forward pass
// that it turns round stands beside it. Plain Armadillo in double, a token a row, as in formulas.hpp. Source:
// the chain rule; Ba et al. 2016 for LayerNorm; Szegedy et al. 2016, section 7, for label smoothing as The
// Annotated Transformer has it.

#include "page/layer_formulas.hpp"

namespace tfx::page {

// 13 loss — how far the predictions are from the labels. `tokens` counts the rows that are no padding.
/// 1 − ε at each row's label and ε/(V − 2) elsewhere; 0 in the column of the padding and in rows whose label
/// it is. A padding that is no word, V or more, has no column: ε/(V − 1) elsewhere. Rows sum to 1 or 0.
/// n → n × V
mat smoothed_target(const uvec& labels, uword vocabulary, double smoothing, uword pad);
/// Σ target⊙(ln target − log_probs) / tokens where the target is not 0; cross-entropy where nothing is
/// smoothed.
double divergence(const mat& log_probs, const mat& target, double tokens);
mat divergence_backward(const mat& target, double tokens); ///< −target/tokens
mat log_softmax_backward(const mat& dL, const mat& L);     ///< dL − e^L·rowsum(dL)

// Back through the attention: Y = X·W + b, S = Q·Kᵀ, S/√d_k, mask, softmax, weights·V
struct ProductGradients {
  mat dX;    ///< dY·Wᵀ     n × d_in
  mat dW;    ///< Xᵀ·dY     d_in × d_out
  rowvec db; ///< the sum of dY's rows
};
ProductGradients product_backward(const mat& X, const mat& W, const mat& dY);
mat mask_backward(const mat& dM, const mat& mask); ///< dM where the mask is 1, else 0
mat softmax_backward(const mat& dA, const mat& A); ///< A ⊙ (dA − rowsum(dA⊙A))
mat entropy_backward(const vec& dH, const mat& A); ///< −dH·(ln A + 1)

struct AttentionGradients {
  mat dV, dweights, dmasked, dscaled, dscores, dQ, dK;
};
AttentionGradients attention_backward(const mat& Q, const mat& K, const mat& V, const mat& mask,
                                      const Attention& a, const mat& doutput);

// Back through a layer
mat relu_backward(const mat& dA, const mat& hidden);         ///< dA where hidden > 0, else 0
mat squared_relu_backward(const mat& dA, const mat& hidden); ///< dA ⊙ 2·max(0, hidden)
mat gelu_tanh_backward(const mat& dA, const mat& hidden); ///< dA ⊙ the slope of hidden·(1 + tanh(…))/2
mat gelu_backward(const mat& dA, const mat& hidden); ///< dA ⊙ (Φ + hidden⊙φ), φ = e^(−hidden²/2)/√(2π)
mat silu_backward(const mat& dA, const mat& hidden); ///< dA ⊙ σ⊙(1 + hidden⊙(1 − σ)), σ = 1/(1 + e^−hidden)
vec divisor_backward(const mat& dN, const mat& N,
                     const vec& divisor);                  ///< of N = C/divisor: −rowsum(dN⊙N)/divisor
mat sqrt_backward(const mat& dY, const mat& Y);            ///< of Y = √X: dY/(2Y)
mat variance_backward(const vec& dvariance, const mat& X); ///< 2(X − mean)·dvariance/d
mat std_backward(const vec& dstd, const mat& X, const vec& std); ///< (X − mean)·dstd/((d − 1)·std)

struct LayerNormGradients {
  mat dX;               ///< (dN − mean(dN) − N·rowsum(dN⊙N)/c) / divisor,  dN = dY⊙gamma
  rowvec dgamma, dbeta; ///< column sums of dY⊙N and of dY
};
/// All of LayerNorm at once: c is d under Norm::layer, (d − 1)·std/divisor under Norm::annotated.
LayerNormGradients layer_norm_backward(const mat& dY, const LayerNorm& n, const rowvec& gamma, Norm rule);

} // namespace tfx::page
