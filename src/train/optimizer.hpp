#pragma once
// What follows the gradient: its norm is clipped, then Adam updates every parameter.

#include "kernels/adam.hpp"
#include "model/encoder_decoder.hpp"

namespace tfx {

/// What Adam keeps of every parameter.
template <class Real>
struct AdamMoments {
  EncoderDecoder<Real> m, v;
};

/// All zeros, for gradients to be added to.
template <class Real>
void clear(EncoderDecoder<Real>& gradient);

/// √ of the sum of the squares of all numbers; the same whatever the number of threads.
template <class Real>
double gradient_norm(const EncoderDecoder<Real>& gradient);

/// The factor that brings a gradient of norm `norm` down to `max_norm` where it is larger, as torch's
/// clip_grad_norm_; 1 where max_norm is 0: no limit.
double clipping_factor(double norm, double max_norm);

/// One step of Adam on every parameter.
template <class Real>
void adam(EncoderDecoder<Real>& model, AdamMoments<Real>& moments, const EncoderDecoder<Real>& gradient,
          const AdamStep& step);

} // namespace tfx
