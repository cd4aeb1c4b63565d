#include "kernels/layer_norm.hpp"

#include <cmath>

namespace tfx {

namespace {

/// What the deviations from the mean are divided by.
double spread(double sum_of_squares, double n, NormRule rule) {
  constexpr double annotated_epsilon = 1e-6, standard_epsilon = 1e-5;
  if (rule == NormRule::annotated) return std::sqrt(sum_of_squares / (n - 1)) + annotated_epsilon;
  return std::sqrt(sum_of_squares / n + standard_epsilon);
}

} // namespace

template <class Real>
void layer_norm(MatrixView<Real> y, ConstMatrixView<Real> x, const GainAndShift<Real>& parameters,
                NormRule rule) {
  assert(y.rows == x.rows && y.cols == x.cols);
  const double n = static_cast<double>(x.rows);
  for (std::size_t j = 0; j < x.cols; ++j) {
    const Real* const in = x.column(j);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < x.rows; ++i) sum += in[i];
    const double mean = sum / n;
    for (std::size_t i = 0; i < x.rows; ++i) squares += (in[i] - mean) * (in[i] - mean);
    const double inverse = 1 / spread(squares, n, rule);
    Real* const out = y.column(j);
    for (std::size_t i = 0; i < x.rows; ++i)
      out[i] = static_cast<Real>(parameters.a[i] * ((in[i] - mean) * inverse) + parameters.b[i]);
  }
}

template void layer_norm(MatrixView<float>, ConstMatrixView<float>, const GainAndShift<float>&, NormRule);
template void layer_norm(MatrixView<double>, ConstMatrixView<double>, const GainAndShift<double>&, NormRule);

} // namespace tfx
