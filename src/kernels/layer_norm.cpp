#include "kernels/layer_norm.hpp"

#include "kernels/simd/run.hpp"

#include <cmath>

namespace tfx {

namespace {

/// What n numbers are divided by, whose deviations from the mean, or from 0 by `rms`, have these squares.
double divisor(double sum_of_squares, std::size_t n, const NormRule& rule) {
  const double size = static_cast<double>(n);
  if (rule.norm == Norm::annotated) return std::sqrt(sum_of_squares / (size - 1)) + rule.epsilon;
  return std::sqrt(sum_of_squares / size + rule.epsilon);
}

/// What multiplies c·Σ(g·c) in dx.
double curvature(double sum_of_squares, std::size_t n, const NormRule& rule) {
  const double D = divisor(sum_of_squares, n, rule), size = static_cast<double>(n);
  if (rule.norm != Norm::annotated) return 1 / (D * D * D * size);
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
                const NormRule& rule) {
  assert(y.rows == x.rows && y.cols == x.cols);
  TFX_CALL(norm_columns, y, x, parameters, rule);
}

template <class Real>
void layer_norm_backward(MatrixView<Real> dx, const NormGradients<Real>& gradients, ConstMatrixView<Real> dy,
                         ConstMatrixView<Real> x, const std::type_identity_t<Real>* gamma,
                         const NormRule& rule) {
  assert(dx.rows == x.rows && dx.cols == x.cols && dy.rows == x.rows && dy.cols == x.cols);
  TFX_CALL(norm_columns_backward, dx, gradients, dy, x, gamma, rule);
}

template void layer_norm_backward(MatrixView<float>, const NormGradients<float>&, ConstMatrixView<float>,
                                  ConstMatrixView<float>, const float*, const NormRule&);
template void layer_norm_backward(MatrixView<double>, const NormGradients<double>&, ConstMatrixView<double>,
                                  ConstMatrixView<double>, const double*, const NormRule&);
template void layer_norm(MatrixView<float>, ConstMatrixView<float>, const NormParameters<float>&,
                         const NormRule&);
template void layer_norm(MatrixView<double>, ConstMatrixView<double>, const NormParameters<double>&,
                         const NormRule&);

} // namespace tfx
