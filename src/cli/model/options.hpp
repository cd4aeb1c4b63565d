#pragma once
// What `tfx model` and `tfx explain model` take: a model, and what it reads.

#include "cli/context.hpp"
#include "core/choices.hpp"
#include "model/batch.hpp"
#include "model/checkpoint.hpp"
#include "model/weights.hpp"

namespace tfx {

struct ModelOptions {
  std::optional<std::string> preset, weights, embeddings, text;
  std::optional<std::string> src, tgt; ///< ids, a row for each sentence, or words
  std::optional<std::size_t> layers, d_model, heads, d_ff, vocab, src_vocab, tgt_vocab, pad_id;
  std::optional<NormRule> norm;
  std::optional<NormPlacement> placement;
  std::optional<std::uint32_t> seed;
  std::optional<WeightInit> init;
};

/// Where a model's numbers come from: a file has its own shape; one of layers alone leaves the vocabularies
/// open, and what stands around the layers to be drawn.
enum class WeightsFrom { drawn, layers, given };

const std::vector<Option<ModelOptions, WeightsFrom>>& model_options();

const Choices<WeightInit>& weight_inits();

struct ModelBatches {
  Batch src, tgt;
  std::uint32_t pad = 0;
};

} // namespace tfx
