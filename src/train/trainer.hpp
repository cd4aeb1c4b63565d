#pragma once
// Training, a step at a time: batch, loss, gradient, clipping, Adam. What a step computes is a function of
// the state alone: batches, dropout and the learning rate follow the step's number, so that a training
// stopped anywhere and resumed goes on as if it had not stopped.

#include "train/gradient_descent.hpp"
#include "train/training_config.hpp"

#include <cmath>
#include <optional>

namespace tfx {

/// How well held-out sources were answered after a step: every token right, or the answer is wrong.
struct Accuracy {
  std::uint64_t step = 0;
  std::size_t right = 0, of = 0;   ///< of 0: there is nothing to answer
  std::optional<double> loss = {}; ///< mean of a token of their true targets, as in training but for dropout
  std::optional<double> bleu = {}, chrf = {}; ///< of a learner's own pairs (measure/translation.hpp)
  std::optional<double> bits_per_byte = {};   ///< of a text (train/text_loss.hpp), which has no right answers

  double share() const { return of ? static_cast<double>(right) / static_cast<double>(of) : 0; }
};

struct TrainingState {
  TrainingConfig config;
  Transformer<float> model;
  AdamMoments<float> moments;
  std::uint64_t step = 0;           ///< that were made
  std::vector<double> losses;       ///< the mean loss of each step made
  std::vector<Accuracy> accuracies; ///< measured on the way
};

/// What a step found.
struct StepReport {
  double loss = 0; ///< mean of a token, before the step
  double learning_rate = 0, gradient_norm = 0;
  std::size_t tokens = 0; ///< of the targets

  bool is_finite() const { return std::isfinite(loss) && std::isfinite(gradient_norm); }
};

/// Throws Error(no_memory) where the model with its gradient and moments, and a step of this many examples,
/// cannot fit: before any of it is taken.
void require_training_memory(const TrainingConfig& config);

/// A training that has made no step: weights drawn from the configuration's seed. Throws what require_valid
/// throws, and Error(no_memory) before taking memory for model, gradient and moments that is not there.
TrainingState start_training(const TrainingConfig& config, const TaskFacts& facts);

/// Examples as the model reads them: the target shifted against itself.
TrainingBatch training_batch(const std::vector<Example>& examples);

/// What the next step reads, a batch for each of those whose gradients are added.
std::vector<TrainingBatch> next_batches(const TrainingState& state, const Task& task);

/// Dropout of the next step in batch i of those.
TrainingMode next_mode(const TrainingState& state, std::size_t i);

/// One step; `gradient` is a model of the same shape, overwritten. Where its loss or its gradient is not
/// finite the state stays as it was. To `times` it adds each module's, and "batch" and "Adam".
StepReport train_step(TrainingState& state, Transformer<float>& gradient, const Task& task,
                      ModuleTimes* times = nullptr);

/// Greedy answers to `examples`, compared with theirs; of own pairs by BLEU and chrF too, as an answer that
/// is not right in every token may still be nearly so. An answer's <unk> is never right.
Accuracy exact_match(const Transformer<float>& model, const TaskFacts& facts,
                     const std::vector<Example>& examples);

/// The same, and their loss, after the last step made.
Accuracy measure(const TrainingState& state, const TaskFacts& facts, const std::vector<Example>& examples);

/// What the next step meets first that is NaN or +∞: an activation of the forward pass, or else a gradient,
/// "d." and its parameter, or else the gradient's length.
std::string first_not_finite(const TrainingState& state, const Transformer<float>& gradient,
                             const Task& task);

} // namespace tfx
