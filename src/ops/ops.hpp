#pragma once
// Every operation, by family. Each family has a .cpp of its name, in which an operation stands beside its
// gradient; a new operation is one object there, and its name here, also in the array of its family.

#include "ops/operation.hpp"

#include <array>

namespace tfx {

namespace op {

// Products of matrices: projections, scores, mixtures, and the gradients of weights.

extern const Op matmul;            ///< A·B, or A·B + b with a third input b (a row added to every row)
extern const Op matmul_transposed; ///< A·Bᵀ, or A·Bᵀ + b with a third input b: torch.nn.Linear
/// A·B of weights A: a weight of 0 reads nothing, so NaN or ∞ in B does not matter there
extern const Op weighted_sum;
extern const Op transposed_matmul; ///< Aᵀ·B, summed over the leading axes that the result has not

inline constexpr std::array products_family = {&matmul, &matmul_transposed, &weighted_sum,
                                               &transposed_matmul};

// Softmax and its logarithm along each row, and the way back through them.

extern const Op softmax;     ///< e^A / Σ e^A along each row, the constant in rows that are −∞ throughout
extern const Op log_softmax; ///< A − ln Σ e^A along each row

extern const Op
    softmax_gradient; ///< B ⊙ (A − Σ A ⊙ B) along each row; 0 where B is 0, and A is not read there
extern const Op log_softmax_gradient; ///< A − e^B · Σ A along each row

inline constexpr std::array softmax_family = {&softmax, &log_softmax, &softmax_gradient,
                                              &log_softmax_gradient};

// Masks: 1 may be seen, 0 may not.

extern const Op causal_mask;             ///< 1 where column ≤ row, as large as the last two axes of A
extern const Op causal_mask_lower_right; ///< 1 where column ≤ row + n_k − n_q: the last row sees all
extern const Op causal_window;           ///< 1 where row − constant < column ≤ row
extern const Op
    padding_mask;     ///< 1 in all but the last `constant` columns, as large as the last two axes of A
extern const Op both; ///< 1 where every input is 1, repeated to a shape where one is asked for
extern const Op
    mask_fill; ///< A where the mask B is 1, −∞ where it is 0; B may be repeated over batch and heads
extern const Op mask_keep; ///< A where the mask B is 1, 0 where it is 0: the way back through mask_fill

inline constexpr std::array masks_family = {
    &causal_mask, &causal_mask_lower_right, &causal_window, &padding_mask, &both, &mask_fill, &mask_keep};

// Cutting a matrix into heads and putting them side by side again: cells move, nothing is computed; and heads
// that are read by several others.

extern const Op split_heads; ///< (…, n, h·d) → (…, h, n, d), h = constant
extern const Op merge_heads; ///< (…, h, n, d) → (…, n, h·d)

extern const Op
    repeat_heads; ///< each head `constant` times, one behind the other     (…, g, n, d) → (…, g·c, n, d)
extern const Op
    sum_heads; ///< the sum of every `constant` neighbours: the way back   (…, h, n, d) → (…, h/c, n, d)

inline constexpr std::array heads_family = {&split_heads, &merge_heads, &repeat_heads, &sum_heads};

// What looks at a whole row: its maximum, its entropy, where it is largest; lengths, cosines and distances.

extern const Op row_max; ///< the largest cell of each row, 0 where every cell is −∞   (…, n, m) → (…, n, 1)
extern const Op first_max; ///< 1 at each row's first largest cell, else 0
extern const Op entropy; ///< −Σ w·ln w of each row                                    (…, n, m) → (…, n, 1)
extern const Op row_norm; ///< √Σ x² of each row                                        (…, n, d) → (…, n)
extern const Op cosine; ///< A[i,j] / (B[i]·B[j]) of dot products A and norms B, 0 where a norm is 0
extern const Op distance; ///< √Σ (x_i − x_j)² between the rows of A                    (…, n, d) → (…, n, n)

extern const Op entropy_gradient; ///< −A·(ln B + 1), 0 where B is 0

inline constexpr std::array rows_family = {&row_max, &first_max, &entropy,         &row_norm,
                                           &cosine,  &distance,  &entropy_gradient};

// What a layer norm is made of: mean, variance and standard deviation of each row, and the way back through
// them.

extern const Op row_mean; ///< the mean of each row                                     (…, n, m) → (…, n, 1)
extern const Op
    row_variance; ///< the mean square from the mean, over m                    (…, n, m) → (…, n, 1)
extern const Op row_std; ///< the root of the same over m − 1                          (…, n, m) → (…, n, 1)

extern const Op variance_gradient; ///< 2·(B − mean)·A / m along each row of m cells
extern const Op std_gradient; ///< (B − mean)·A / ((m − 1)·C), of standard deviations C; 0 where C is 0

inline constexpr std::array norms_family = {&row_mean, &row_variance, &row_std, &variance_gradient,
                                            &std_gradient};

// Sums: along rows, of parts, onto the shape of a tensor that was repeated, and the mean that gradients are
// of.

extern const Op row_sum; ///< the sum of each row                                 (…, n, m) → (…, n, 1)
extern const Op mean;    ///< the mean of every cell; of several inputs, the sum of their means
extern const Op uniform; ///< the constant in as many cells as A has
extern const Op total;   ///< A + B + …, all of one shape
extern const Op
    sum_over; ///< constant · A, or A ⊙ B, summed over the axes that the result has not or has once

inline constexpr std::array sums_family = {&row_sum, &mean, &uniform, &total, &sum_over};

// Cell by cell: arithmetic of one or two tensors with NumPy's broadcasting, and the gradients of what is not
// linear.

extern const Op add;          ///< A + B; rounded to float32 where the constant's text says so
extern const Op subtract;     ///< A − B
extern const Op multiply;     ///< A ⊙ B
extern const Op divide;       ///< A / B, the constant where B is 0
extern const Op divide_by;    ///< A / constant, repeated or summed to a shape where one is asked for
extern const Op multiply_by;  ///< A·constant
extern const Op add_constant; ///< A + constant
extern const Op exp;          ///< e^A
extern const Op sqrt;         ///< √A

extern const Op sqrt_gradient; ///< A / (2·B), of roots B
extern const Op
    divisor_gradient; ///< −Σ A ⊙ B / C along each row, of quotients B and divisors C; 0 where C is 0

inline constexpr std::array elementwise_family = {&add,       &subtract,      &multiply,        &divide,
                                                  &divide_by, &multiply_by,   &add_constant,    &exp,
                                                  &sqrt,      &sqrt_gradient, &divisor_gradient};

// The non-linearities of feed-forward layers, and their gradients.

extern const Op relu;         ///< max(0, A)
extern const Op squared_relu; ///< max(0, A)²
/// A·Φ(A), Φ the share of a normal distribution below A: exact, by erf.
extern const Op gelu;
extern const Op gelu_tanh; ///< A·(1 + tanh(√(2/π)·(A + 0.044715·A³)))/2: near it, GPT-2's
extern const Op silu;      ///< A·σ(A) = A/(1 + e^−A)

extern const Op relu_gradient;         ///< A where B > 0, else 0
extern const Op squared_relu_gradient; ///< A ⊙ 2·max(0, B)
extern const Op gelu_gradient;         ///< A ⊙ (Φ(B) + B ⊙ φ(B)), φ the normal density
extern const Op gelu_tanh_gradient;    ///< A ⊙ gelu_tanh′(B), by the rules of product and chain
extern const Op silu_gradient;         ///< A ⊙ σ(B) ⊙ (1 + B ⊙ (1 − σ(B)))

inline constexpr std::array activations_family = {
    &relu,          &squared_relu,          &gelu,          &gelu_tanh,          &silu,
    &relu_gradient, &squared_relu_gradient, &gelu_gradient, &gelu_tanh_gradient, &silu_gradient};

// Positions: sinusoidal, Vaswani et al. 2017, section 3.5; rotary, Su et al. 2021.

extern const Op angle;   ///< p / 10000^(2⌊j/2⌋/d) of positions p, d = constant      (n) → (n, d)
extern const Op sin_cos; ///< sin A in even columns, cos A in odd ones

extern const Op rotary_angle; ///< p / constant^(2j/w) of positions p, w = 2·columns   (n) → (n, w/2)
/// Pairs of cells of each row of A turned by the angles B: (a, b) → (a·cos − b·sin, a·sin + b·cos). b stands
/// `constant` cells behind a: 1 for neighbours, w/2 for halves; a negative constant turns the other way.
extern const Op rotate;

inline constexpr std::array positions_family = {&angle, &sin_cos, &rotary_angle, &rotate};

// Rows of a table by their numbers: looking words up, and the gradients of their table.

extern const Op gather; ///< rows of the table A at the numbers B
extern const Op
    scatter; ///< row r is the sum of the rows of A whose number in B is r: the way back to the table
extern const Op
    one_hot; ///< 1 where the column is the number B, of as many as A has rows: A is a table of words

inline constexpr std::array gather_family = {&gather, &scatter, &one_hot};

// A loss: what the predictions should be, and how far they are from it.

/// Of labels A and the padding's number B, as wide as C: the constant spread over the words that are no
/// label.
extern const Op smoothed_target;
/// Σ B ⊙ (ln B − A) / constant where B is not 0, of log-probabilities A and targets B: the Kullback-Leibler
/// divergence, and the cross-entropy where a target is one word.
extern const Op kl_divergence;

inline constexpr std::array losses_family = {&smoothed_target, &kl_divergence};

// Choosing a token from a distribution: which tokens may be chosen, and which one is.

extern const Op top_k; ///< 1 at the `constant` largest cells of each row, else 0; of equal ones the first
extern const Op mass_before; ///< Σ of the row's larger cells: what stands before a cell where they are sorted
extern const Op below;       ///< 1 where A < constant
extern const Op draw;        ///< 1 at the cell of A whose stretch holds C: it begins at B and is as long as A

inline constexpr std::array choices_family = {&top_k, &mass_before, &below, &draw};

// Byte-pair encoding: pairs of neighbours counted, the most frequent one, and it merged. Cells are numbers of
// symbols, −1 where a row has ended.

extern const Op pair_counts;   ///< how often each pair stands in the rows of A, row i counted B[i] times; of
                               ///< `constant` symbols                (n, m), (n, 1) → (constant, constant)
extern const Op most_frequent; ///< row and column of the first largest cell of A   (s, s) → (1, 2)
extern const Op merge_pair; ///< A with the symbol `constant` wherever the pair B stands, from left to right
extern const Op stacked;    ///< the rows of every input, one below the other

inline constexpr std::array subwords_family = {&pair_counts, &most_frequent, &merge_pair, &stacked};

// Text that repeats itself.

/// The mean weight of A just behind the last place where the query's token stood, of tokens B; 0 where none
/// has stood before.                                                             (…, n, n), (n) → (…)
extern const Op induction_score;

inline constexpr std::array repeats_family = {&induction_score};

// What an optimizer makes of a gradient, cell by cell: averages over the steps of a training, and Adam's
// quotient of them. That SGD and weight decay only multiply, elementwise.hpp has.

extern const Op moving_average;            ///< constant·A + (1 − constant)·B
extern const Op moving_average_of_squares; ///< constant·A + (1 − constant)·B²
extern const Op adam_direction;            ///< A / (√B + constant)

inline constexpr std::array optimizers_family = {&moving_average, &moving_average_of_squares,
                                                 &adam_direction};

} // namespace op

Tensor split_heads(const Tensor& M, std::size_t h); ///< (…, n, h·d) → (…, h, n, d)
Tensor merge_heads(const Tensor& heads);            ///< (…, h, n, d) → (…, n, h·d)

} // namespace tfx
