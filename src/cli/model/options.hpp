#pragma once
// What `tfx model` and `tfx explain model` take: a model, and what it reads.

#include "cli/context.hpp"
#include "model/batch.hpp"
#include "model/checkpoint.hpp"
#include "model/init.hpp"

namespace tfx {

struct ModelOptions {
  std::optional<std::string> preset, weights;
  std::optional<std::vector<std::vector<std::uint32_t>>> src, tgt; ///< ids, a row for each sentence
  std::optional<std::size_t> layers, d_model, heads, d_ff, vocab, src_vocab, tgt_vocab, pad_id;
  std::optional<NormRule> norm;
  std::optional<NormPlacement> placement;
  std::optional<std::uint32_t> seed;
  std::optional<WeightInit> init;
};

/// Where a model's numbers come from: a file has its own shape.
enum class WeightsFrom { drawn, given };

const std::vector<Option<ModelOptions, WeightsFrom>>& model_options();

struct ModelBatches {
  Batch src, tgt;
  std::uint32_t pad = 0;
};

/// The token ids of --src and --tgt; the copy task's 1 … 10, and all but the last of them, where they are not
/// given. Throws Error(usage) for anything but ids, or where the numbers of rows differ.
ModelBatches batches_of(const ModelOptions& options);

/// Throws Error(usage) for an id, or a length, that the model has not.
void check_ids(const ModelOptions& options, const ModelBatches& batches, const Config& config);

/// The weights of the file, or drawn in the shape that was asked for. Throws Error(usage) where options
/// contradict each other, Error(bad_data) for a file or a shape that makes no model.
template <class Real>
EncoderDecoder<Real> model_of(const ModelOptions& options);

/// "model.npz", or "xavier-uniform, np.random.seed(42)".
std::string source_of_weights(const ModelOptions& options);

} // namespace tfx
