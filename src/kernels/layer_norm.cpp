#include "kernels/layer_norm.hpp"

#include "kernels/simd/run.hpp"

#include <cmath>

namespace tfx {

namespace {

constexpr double annotated_epsilon = 1e-6, standard_epsilon = 1e-5;

/// What the deviations from the mean of n numbers are divided by.
double divisor(double sum_of_squares, std::size_t n, Norm rule) {
  const double size = static_cast<double>(n);
  if (rule == Norm::annotated) return std::sqrt(sum_of_squares / (size - 1)) + annotated_epsilon;
  return std::sqrt(sum_of_squares / size + standard_epsilon);
}

/// What multiplies c·Σ(g·c) in dx.
double curvature(double sum_of_squares, std::size_t n, Norm rule) {
  const double D = divisor(sum_of_squares, n, rule), size = static_cast<double>(n);
  if (rule == Norm::layer) return 1 / (D * D * D * size);
  const double s = std::sqrt(sum_of_squares / (size - 1));
  return s == 0 ? 0 : 1 / (D * D * s * (size - 1));
}

} // namespace

} // namespace tfx

#define TFX_KERNEL "kernels/layer_norm.inc"
#include "kernels/simd/each_isa.inc"

namespace tfx {

template <class Real>
void layer_norm(MatrixView<Real> y, ConstMatrixView<Real> x, const NormParameters<Real>& parameters,
                Norm rule) {
  assert(y.rows == x.rows && y.cols == x.cols);
  TFX_CALL(norm_columns, y, x, parameters, rule);
}

template <class Real>
void layer_norm_backward(MatrixView<Real> dx, const NormGradients<Real>& gradients, ConstMatrixView<Real> dy,
                         ConstMatrixView<Real> x, const std::type_identity_t<Real>* gamma, Norm rule) {
  assert(dx.rows == x.rows && dx.cols == x.cols && dy.rows == x.rows && dy.cols == x.cols);
  TFX_CALL(norm_columns_backward, dx, gradients, dy, x, gamma, rule);
}

template void layer_norm_backward(MatrixView<float>, const NormGradients<float>&, ConstMatrixView<float>,
                                  ConstMatrixView<float>, const float*, Norm);
template void layer_norm_backward(MatrixView<double>, const NormGradients<double>&, ConstMatrixView<double>,
                                  ConstMatrixView<double>, const double*, Norm);
template void layer_norm(MatrixView<float>, ConstMatrixView<float>, const NormParameters<float>&, Norm);
template void layer_norm(MatrixView<double>, ConstMatrixView<double>, const NormParameters<double>&, Norm);

} // namespace tfx
