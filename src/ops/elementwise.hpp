#pragma once
// Cell by cell: arithmetic of one or two tensors with NumPy's broadcasting, and the gradients of what is not
// linear.

#include "core/tensor.hpp"
#include "ops/operation.hpp"

namespace tfx {

namespace op {

extern const Op add;          ///< A + B; rounded to float32 where the constant's text says so
extern const Op subtract;     ///< A − B
extern const Op multiply;     ///< A ⊙ B
extern const Op divide;       ///< A / B, the constant where B is 0
extern const Op divide_by;    ///< A / constant, repeated or summed to a shape where one is asked for
extern const Op multiply_by;  ///< A·constant
extern const Op add_constant; ///< A + constant
extern const Op exp;          ///< e^A
extern const Op sqrt;         ///< √A
extern const Op relu;         ///< max(0, A)

/// A·Φ(A), Φ the share of a normal distribution below A: exact, by erf.
extern const Op gelu;
extern const Op silu; ///< A·σ(A) = A/(1 + e^−A)

extern const Op relu_gradient; ///< A where B > 0, else 0
extern const Op gelu_gradient; ///< A ⊙ (Φ(B) + B ⊙ φ(B)), φ the normal density
extern const Op silu_gradient; ///< A ⊙ σ(B) ⊙ (1 + B ⊙ (1 − σ(B)))
extern const Op sqrt_gradient; ///< A / (2·B), of roots B
extern const Op
    divisor_gradient; ///< −Σ A ⊙ B / C along each row, of quotients B and divisors C; 0 where C is 0

inline constexpr std::array elementwise_family = {&add,
                                                  &subtract,
                                                  &multiply,
                                                  &divide,
                                                  &divide_by,
                                                  &multiply_by,
                                                  &add_constant,
                                                  &exp,
                                                  &sqrt,
                                                  &relu,
                                                  &gelu,
                                                  &silu,
                                                  &relu_gradient,
                                                  &gelu_gradient,
                                                  &silu_gradient,
                                                  &sqrt_gradient,
                                                  &divisor_gradient};

} // namespace op

template <class Formula>
Tensor cell_by_cell(const Tensor& A, const Formula& formula) {
  Tensor result = A;
  for (double& x : result.data) x = formula(x);
  return result;
}

/// Of the shape that broadcasting gives.
template <class Formula>
Tensor cell_by_cell(const Tensor& A, const Tensor& B, const Formula& formula) {
  Tensor result(broadcast_shape(A.shape, B.shape, said("cells")));
  if (A.shape == B.shape) {
    for (std::size_t i = 0; i < result.size(); ++i) result.data[i] = formula(A.data[i], B.data[i]);
    return result;
  }
  BroadcastOffset a(A.shape, result.shape), b(B.shape, result.shape);
  for (double& cell : result.data) cell = formula(A.data[*a], B.data[*b]), ++a, ++b;
  return result;
}

// What operations of several families say of themselves.

Work free_of_cost(const Computed&);
Work one_a_cell(const Computed& step);

/// A row of the first input.
std::size_t row_terms(const Computed& step);

} // namespace tfx
