#include "kernels/layer_norm.hpp"

#include <cmath>

namespace tfx {

namespace {

constexpr double annotated_epsilon = 1e-6, standard_epsilon = 1e-5;

/// What the deviations from the mean are divided by.
double divisor(double sum_of_squares, double n, NormRule rule) {
  if (rule == NormRule::annotated) return std::sqrt(sum_of_squares / (n - 1)) + annotated_epsilon;
  return std::sqrt(sum_of_squares / n + standard_epsilon);
}

struct Moments {
  double mean, sum_of_squares;
};

template <class Real>
Moments moments(const Real* x, std::size_t n) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  const double mean = sum / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
  return {mean, squares};
}

/// What multiplies c·Σ(g·c) in dx.
double curvature(double sum_of_squares, double n, NormRule rule) {
  const double D = divisor(sum_of_squares, n, rule);
  if (rule == NormRule::standard) return 1 / (D * D * D * n);
  const double s = std::sqrt(sum_of_squares / (n - 1));
  return s == 0 ? 0 : 1 / (D * D * s * (n - 1));
}

} // namespace

template <class Real>
void layer_norm(MatrixView<Real> y, ConstMatrixView<Real> x, const GainAndShift<Real>& parameters,
                NormRule rule) {
  assert(y.rows == x.rows && y.cols == x.cols);
  const double n = static_cast<double>(x.rows);
  for (std::size_t j = 0; j < x.cols; ++j) {
    const Real* const in = x.column(j);
    const auto [mean, squares] = moments(in, x.rows);
    const double inverse = 1 / divisor(squares, n, rule);
    Real* const out = y.column(j);
    for (std::size_t i = 0; i < x.rows; ++i)
      out[i] = static_cast<Real>(parameters.a[i] * ((in[i] - mean) * inverse) + parameters.b[i]);
  }
}

template <class Real>
void layer_norm_backward(MatrixView<Real> dx, MatrixView<Real> normalized, ConstMatrixView<Real> dy,
                         ConstMatrixView<Real> x, const std::type_identity_t<Real>* a, NormRule rule) {
  assert(dx.rows == x.rows && dx.cols == x.cols && dy.rows == x.rows && dy.cols == x.cols);
  const double n = static_cast<double>(x.rows);
  for (std::size_t j = 0; j < x.cols; ++j) {
    const Real* const in = x.column(j);
    const Real* const d_out = dy.column(j);
    const auto [mean, squares] = moments(in, x.rows);
    double sum = 0, along = 0;
    for (std::size_t i = 0; i < x.rows; ++i) {
      const double g = static_cast<double>(a[i]) * d_out[i];
      sum += g, along += g * (in[i] - mean);
    }
    const double inverse = 1 / divisor(squares, n, rule), g_mean = sum / n,
                 pull = along * curvature(squares, n, rule);
    for (std::size_t i = 0; i < x.rows; ++i) {
      const double c = in[i] - mean, g = static_cast<double>(a[i]) * d_out[i];
      dx(i, j) = static_cast<Real>((g - g_mean) * inverse - c * pull);
      normalized(i, j) = static_cast<Real>(c * inverse);
    }
  }
}

template void layer_norm_backward(MatrixView<float>, MatrixView<float>, ConstMatrixView<float>,
                                  ConstMatrixView<float>, const float*, NormRule);
template void layer_norm_backward(MatrixView<double>, MatrixView<double>, ConstMatrixView<double>,
                                  ConstMatrixView<double>, const double*, NormRule);
template void layer_norm(MatrixView<float>, ConstMatrixView<float>, const GainAndShift<float>&, NormRule);
template void layer_norm(MatrixView<double>, ConstMatrixView<double>, const GainAndShift<double>&, NormRule);

} // namespace tfx
