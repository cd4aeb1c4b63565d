#pragma once
// A model at work: one forward pass, one step of training, or greedy decoding, each compared with
// a copy of the model in double.

#include "bench/case.hpp"
#include "bench/work.hpp"
#include "model/transformer.hpp"

#include <cstdint>

namespace tfx::bench {

/// The same parameters in double. Throws Error(no_memory).
Transformer<double> widened(const Transformer<float>& model);

/// Which of its activations a forward pass keeps.
enum class KeptActivations { nothing, for_backward };

/// Throws Error(bad_data) where the shape makes no model; Error(no_memory) where the model, its copy in
/// double and the activations of a pass do not fit, for backward also gradient and moments.
void require_room(const TransformerShape& shape, KeptActivations kept);

struct ModelInput {
  Transformer<float> model;
  Batch src; ///< empty without an encoder
  Batch tgt; ///< of decoding the prompt

  Inputs inputs() const { return {src, tgt}; }
};

/// Weights as make_model draws them, from the seed; ids uniform in 1 … vocab − 1. Throws what require_room
/// throws.
ModelInput drawn_model(const TransformerShape& shape, What what, std::uint32_t seed);

/// Log-probabilities, vocab × tokens. Compared with the model in double on the first sequence.
Case model_case(const TransformerShape& shape, ModelInput input);

/// The loss of a step, 1 × 1: batch, gradient, Adam, with the shape's dropout and label smoothing. The
/// task has no end: ids uniform in 1 … vocab − 1, to be said again; sources of shape.src tokens, of a decoder
/// alone the first half of the text, and targets of shape.tgt + 1, of which the model reads all but the last.
/// The loss of a step is compared with that of the same step in double. Throws as drawn_model.
Case train_case(const TransformerShape& shape, std::uint32_t seed);

/// The ids that greedy decoding writes, shape.tgt × batch; no id ends a text. Compared with one masked pass
/// over what was written, in double: each id must be as probable as the most probable one.
Case decode_case(const TransformerShape& shape, ModelInput input);

} // namespace tfx::bench
