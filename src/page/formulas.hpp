#pragma once
// The Transformer's attention on one screen: every formula of the page. Plain Armadillo in double, a token a
// row, no threads, no printing. n_q queries ask n_k keys; a query and a key have d_k numbers, a value has
// d_v. A formula that has intermediate results returns them by the names the page prints. Source: Vaswani et
// al. 2017, "Attention Is All You Need", sections 3.2.1 to 3.2.3.

#include <armadillo>

#include <vector>

namespace tfx::page {

using arma::mat;
using arma::rowvec;
using arma::vec;

// 1 words — X : n × d
struct Words {
  vec norms;     ///< ‖x_i‖                      n
  mat dots;      ///< X·Xᵀ                       n × n
  mat cosines;   ///< x_i·x_j / (‖x_i‖·‖x_j‖)    n × n, 0 beside a vector of length 0
  mat distances; ///< ‖x_i − x_j‖                n × n
};
Words words(const mat& X);

// 2 qkv — what a word asks (Q), what it is found by (K), what it hands over (V)
mat project(const mat& X, const mat& W); ///< X·W       n×d_model · d_model×d_k → n×d_k
mat project(const mat& X, const mat& W, const rowvec& b); ///< X·W + b   b is added to every row

// 3 scores — a row asks, a column is asked
mat scores(const mat& Q, const mat& K); ///< Q·Kᵀ    n_q×d_k · d_k×n_k → n_q×n_k

// 4 softmax
mat scale(const mat& S, double d_k); ///< S/√d_k, so that wide vectors do not saturate the softmax

struct Softmax {
  vec row_max;      ///< n_q; subtracting it keeps e^x finite and changes no weight
  mat shifted;      ///< n_q × n_k, ≤ 0
  mat exponentials; ///< n_q × n_k, in [0, 1]
  vec row_sum;      ///< n_q
  mat weights;      ///< n_q × n_k, rows sum to 1
};
/// Along each row. A row that is −∞ throughout (nothing may be seen) has no answer: its weights are
/// `masked_row`.
Softmax softmax(const mat& S, double masked_row = 0);

vec entropy(const mat& weights); ///< −Σ w·ln w in nats: 0 looks at one key, ln n_k at all alike

// 0 lookup — the hard look-up takes one value, the soft one mixes all
mat first_max(const mat& S); ///< 1 at each row's first largest score, else 0

// 5 attention
mat weighted_sum(const mat& weights, const mat& V); ///< weights·V    n_q×n_k · n_k×d_v → n_q×d_v

// 6 sdpa, 7 masked — 1 may be seen, 0 may not
mat causal_mask(arma::uword n_q, arma::uword n_k);             ///< query i sees keys 0 … i
mat causal_mask_lower_right(arma::uword n_q, arma::uword n_k); ///< query i sees keys 0 … i + n_k − n_q
mat padding_mask(arma::uword n_q, arma::uword n_k, arma::uword pad); ///< the last `pad` keys are padding
mat mask_fill(const mat& S, const mat& mask);                        ///< −∞ where the mask is 0

struct Attention {
  mat scores, scaled, masked, weights, output;
};
Attention attention(const mat& Q, const mat& K, const mat& V);
Attention attention(const mat& Q, const mat& K, const mat& V, const mat& mask, double masked_row = 0);

// 8 multihead — h heads of width d_k = d_model / h
std::vector<mat> split_heads(const mat& M, arma::uword h); ///< n × h·d_k → h matrices n × d_k
mat merge_heads(const std::vector<mat>& heads);            ///< h matrices n × d_k → n × h·d_k

} // namespace tfx::page
