#include "kernels/cross_entropy.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

/// t·ln t, 0 at 0.
double entropy_term(double t) {
  return t > 0 ? t * std::log(t) : 0;
}

} // namespace

template <class Real>
void cross_entropy(double* losses, MatrixView<Real> logits, const std::uint32_t* labels,
                   const Smoothing& smoothing, double factor) {
  const double others =
      smoothing.epsilon > 0 ? smoothing.epsilon / (static_cast<double>(logits.rows) - 2) : 0;
  const double label_share = 1 - smoothing.epsilon;
  for (std::size_t j = 0; j < logits.cols; ++j) {
    Real* const x = logits.column(j);
    losses[j] = 0;
    if (labels[j] == smoothing.pad) {
      std::fill_n(x, logits.rows, Real{0});
      continue;
    }
    assert(labels[j] < logits.rows);
    const double max = *std::max_element(x, x + logits.rows);
    double sum = 0;
    for (std::size_t i = 0; i < logits.rows; ++i) sum += std::exp(x[i] - max);
    const double log_sum = max + std::log(sum);
    double mass = 0;
    for (std::size_t i = 0; i < logits.rows; ++i) {
      const double t = i == labels[j] ? label_share : i == smoothing.pad ? 0 : others;
      mass += t;
      losses[j] += entropy_term(t) - t * (x[i] - log_sum);
    }
    for (std::size_t i = 0; i < logits.rows; ++i) {
      const double t = i == labels[j] ? label_share : i == smoothing.pad ? 0 : others;
      x[i] = static_cast<Real>(factor * (std::exp(x[i] - log_sum) * mass - t));
    }
  }
}

template void cross_entropy(double*, MatrixView<float>, const std::uint32_t*, const Smoothing&, double);
template void cross_entropy(double*, MatrixView<double>, const std::uint32_t*, const Smoothing&, double);

} // namespace tfx
