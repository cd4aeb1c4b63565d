#include "kernels/cross_entropy.hpp"

#include "kernels/simd/run.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

/// t·ln t, 0 at 0.
double entropy_term(double t) {
  return t > 0 ? t * std::log(t) : 0;
}

/// What should have come, the same for every column: so much at the label, 0 at the padding, so much at each
/// of the others.
struct Target {
  Target(const Smoothing& smoothing, std::size_t vocab)
      : label(1 - smoothing.epsilon),
        others(smoothing.pad < vocab ? vocab - 2 : vocab - 1), // all share ε where no word is padding
        other(smoothing.epsilon > 0 ? smoothing.epsilon / static_cast<double>(others) : 0),
        pad(smoothing.pad),
        entropy(entropy_term(label) + static_cast<double>(others) * entropy_term(other)) {}

  double label;
  std::size_t others;
  double other;
  std::size_t pad;
  double entropy; ///< Σ t·ln t
};

} // namespace

} // namespace tfx

#define TFX_KERNEL "kernels/cross_entropy.inc"
#include "kernels/simd/each_isa.inc"

namespace tfx {

template <class Real>
void cross_entropy(double* losses, MatrixView<Real> logits, const std::uint32_t* labels,
                   const Smoothing& smoothing, double factor) {
  const Target target(smoothing, logits.rows);
  for (std::size_t j = 0; j < logits.cols; ++j) {
    Real* const x = logits.column(j);
    if (labels[j] == smoothing.pad) {
      losses[j] = 0;
      std::fill_n(x, logits.rows, Real{0});
      continue;
    }
    assert(labels[j] < logits.rows);
    losses[j] = TFX_CALL(loss_of_column, x, logits.rows, labels[j], target, factor);
  }
}

template void cross_entropy(double*, MatrixView<float>, const std::uint32_t*, const Smoothing&, double);
template void cross_entropy(double*, MatrixView<double>, const std::uint32_t*, const Smoothing&, double);

} // namespace tfx
