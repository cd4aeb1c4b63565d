#pragma once
// How a tensor came from others: one operation, the names of its inputs, and its constant if it has one.
// `explain` turns it into arithmetic, `cost` into MACs and FLOPs, and a test re-evaluates every cell from it.

#include <string>
#include <string_view>
#include <vector>

namespace tfx {

enum class Op {
  given,             ///< an input: nothing to compute
  matmul,            ///< A·B, or A·B + b with a third input b (a row added to every row)
  matmul_transposed, ///< A·Bᵀ
  weighted_sum, ///< A·B of weights A: a weight of 0 reads nothing, so NaN or ∞ in B does not matter there
  add,          ///< A + B, NumPy broadcasting
  subtract,     ///< A − B, NumPy broadcasting
  divide_by,    ///< A / constant
  exp,          ///< e^A
  row_max,      ///< the largest cell of each row, 0 where every cell is −∞   (…, n, m) → (…, n, 1)
  row_sum,      ///< the sum of each row                                      (…, n, m) → (…, n, 1)
  normalize,    ///< A / B, the constant where B is 0
  softmax,      ///< e^A / Σ e^A along each row, the constant in rows that are −∞ throughout
  mask_fill,    ///< A where the mask B is 1, −∞ where it is 0
  causal_mask,  ///< 1 where column ≤ row
  padding_mask, ///< 1 in all but the last `constant` columns
  both,         ///< 1 where every input is 1, NumPy broadcasting
  gather,       ///< rows of the table A at the indices B
  split_heads,  ///< (…, n, h·d) → (…, h, n, d), h = constant
  merge_heads,  ///< (…, h, n, d) → (…, n, h·d)
  first_max,    ///< 1 at each row's first largest cell, else 0
  row_norm,     ///< √Σ x² of each row                                        (…, n, d) → (…, n)
  cosine,       ///< A[i,j] / (B[i]·B[j]) of dot products A and norms B, 0 where a norm is 0
  distance, ///< √Σ (x_i − x_j)² between the rows of A                    (…, n, d) → (…, n, n)
  entropy,  ///< −Σ w·ln w of each row                                    (…, n, m) → (…, n, 1)
  row_mean, ///< the mean of each row                                     (…, n, m) → (…, n, 1)
  row_variance, ///< the mean square from the mean, over m                (…, n, m) → (…, n, 1)
  row_std,      ///< the root of the same over m − 1                      (…, n, m) → (…, n, 1)
  sqrt,         ///< √A
  add_constant, ///< A + constant
  multiply_by,  ///< A·constant
  multiply,     ///< A ⊙ B cell by cell, NumPy broadcasting
  relu,         ///< max(0, A)
  log_softmax,  ///< A − ln Σ e^A along each row
  angle,        ///< p / 10000^(2⌊j/2⌋/d) of positions p, d = constant      (n) → (n, d)
  sin_cos,      ///< sin A in even columns, cos A in odd ones
  one_hot,      ///< 1 where the column is the number B, of as many as A has rows: A is a table of words
  // A loss, and how it moves with every cell before it.
  smoothed_target, ///< of labels A and the padding's number B: constant spread over columns of C
  divergence, ///< Σ B ⊙ (ln B − A) / constant where B is not 0, of log-probabilities A and targets B
  mean,       ///< the mean of every cell; of several inputs, the sum of their means
  uniform,    ///< the constant in as many cells as A has
  total,      ///< A + B + …, all of one shape
  sum_over,   ///< constant · A, or A ⊙ B, summed over the axes that the result has not or has once
  transposed_matmul,    ///< Aᵀ·B, summed over the leading axes that the result has not
  mask_keep,            ///< A where the mask B is 1, 0 where it is 0
  scatter,              ///< row r is the sum of the rows of A whose number in B is r
  softmax_gradient,     ///< B ⊙ (A − Σ A ⊙ B) along each row; 0 where B is 0, and A is not read there
  log_softmax_gradient, ///< A − e^B · Σ A along each row
  entropy_gradient,     ///< −A·(ln B + 1), 0 where B is 0
  relu_gradient,        ///< A where B > 0, else 0
  divisor_gradient,     ///< −Σ A ⊙ B / C along each row, of quotients B and divisors C; 0 where C is 0
  sqrt_gradient,        ///< A / (2·B), of roots B
  variance_gradient,    ///< 2·(B − mean)·A / m along each row of m cells
  std_gradient          ///< (B − mean)·A / ((m − 1)·C), of standard deviations C; 0 where C is 0
};
inline constexpr Op last_op = Op::std_gradient;

/// "matmul_transposed": the name in --json.
std::string_view name_of(Op op);

struct How {
  Op op = Op::given;
  std::vector<std::string> inputs;
  double constant = 0;
  std::string constant_text; ///< the constant as a formula writes it: "√3"
};

namespace how {
inline How given() {
  return {};
}
inline How of(Op op, std::vector<std::string> inputs, double constant = 0, std::string text = {}) {
  return {op, std::move(inputs), constant, std::move(text)};
}
} // namespace how

} // namespace tfx
