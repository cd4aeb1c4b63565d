#pragma once
// One step from examples to new parameters: the loss and its gradient, the learning rate, clipping, Adam. A
// target is shifted against itself: the decoder reads all tokens but the last and is to say all but the
// first; the loss is kernels/cross_entropy's, divided by the number of tokens that are not padding. The
// learning rate depends on the step and the configuration alone, so that a resumed training goes on as if it
// had not stopped: warmup_root is rate · d_model^−½ · min(step^−½, step · warmup^−3/2) (Vaswani et al. 2017,
// section 5.3); linear and cosine are said at Schedule.

#include "core/choices.hpp"
#include "kernels/adam.hpp"
#include "kernels/cross_entropy.hpp"
#include "model/transformer.hpp"

#include <cstddef>
#include <cstdint>

namespace tfx {

/// What one training step reads: tokens of the source, the target as read, and what is to be said.
struct TrainingBatch {
  Batch src; ///< empty for a model that has no encoder
  Batch tgt;
  TokenIds labels; ///< one a token of tgt

  Inputs inputs() const { return {src, tgt}; }
};

struct Loss {
  double sum = 0;         ///< in nats
  std::size_t tokens = 0; ///< that are not padding
  double mean() const { return tokens ? sum / static_cast<double>(tokens) : 0; }
};

/// How many labels are not padding.
std::size_t count_tokens(const TokenIds& labels, std::uint32_t pad);

/// The loss of logits, vocabulary × tokens, which become its gradient divided by `divisor`. Throws
/// Error(bad_data) where a label is not in the vocabulary, or where it is too small to be smoothed;
/// Error(usage) for a smoothing outside [0, 1).
template <class Real>
Loss loss_and_gradient(arma::Mat<Real>& logits, const TokenIds& labels, const Smoothing& smoothing,
                       double divisor);

/// Adds the gradient of loss/divisor to every parameter's; → the loss.
template <class Real>
Loss add_gradient(const Trainable<Transformer<Real>>& model, const TrainingBatch& batch,
                  const Smoothing& smoothing, double divisor, const ForwardContext<Real>& context = {});

/// A model of the same shape, all zeros.
template <class Real>
Transformer<Real> zeros_like(const Transformer<Real>& model);

// The learning rate of every step, a function of the step and the configuration alone: never of how many
// steps are asked for, so that a resumed training goes on as if it had not stopped.
//
//   warmup_root: rate · d_model^−½ · min(step^−½, step · warmup^−3/2)      Vaswani et al. 2017, section 5.3
//   linear:      rate · min(step/warmup, (decay_to − step)/(decay_to − warmup)), but never below least · rate
//   cosine:      rate · step/warmup, then rate · (least + (1 − least)·½(1 + cos π·s)), s from 0 at warmup to
//   1 at
//                decay_to                                               Loshchilov & Hutter 2017, one period

struct Schedule {
  enum class Curve { warmup_root, linear, cosine };

  Curve curve = Curve::warmup_root;
  double rate = 1;            ///< the highest learning rate; warmup_root: a factor, 1 in the paper
  std::uint64_t warmup = 400; ///< steps on which it rises
  std::uint64_t decay_to = 0; ///< linear, cosine: the step at which it is lowest; 0: it stays at `rate`
  std::size_t d_model = 512;  ///< warmup_root
  double least = 0.01;        ///< linear, cosine: of `rate`, what it does not fall below

  bool operator==(const Schedule&) const = default;
};

/// As an option takes them and a checkpoint keeps them.
const Choices<Schedule::Curve>& curves();

/// Steps count from 1.
double learning_rate(const Schedule& schedule, std::uint64_t step);

/// What Adam keeps of every parameter.
template <class Real>
struct AdamMoments {
  Transformer<Real> m, v;
};

/// All zeros, for gradients to be added to.
template <class Real>
void clear(Transformer<Real>& gradient);

/// √ of the sum of the squares of all numbers; the same whatever the number of threads.
template <class Real>
double gradient_norm(const Transformer<Real>& gradient);

/// The factor that brings a gradient of norm `norm` down to `max_norm` where it is larger, as torch's
/// clip_grad_norm_; 1 where max_norm is 0: no limit.
double clipping_factor(double norm, double max_norm);

/// Which parameters decay: AdamW's all, or GPT's matrices alone, as a bias or a norm has nothing to gain from
/// it.
enum class Decayed { all, matrices };
const Choices<Decayed>& decayed_words();

/// One step of Adam on every parameter.
template <class Real>
void adam(Transformer<Real>& model, AdamMoments<Real>& moments, const Transformer<Real>& gradient,
          const AdamStep& step, Decayed decayed = Decayed::all);

} // namespace tfx
