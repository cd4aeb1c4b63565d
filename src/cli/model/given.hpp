#pragma once
// What `tfx model` and `tfx explain model` take and run on: the options, and from them a model, what it
// reads, and what it should say.

#include "cli/context.hpp"
#include "core/choices.hpp"
#include "model/batch.hpp"
#include "model/checkpoint.hpp"
#include "model/model_card.hpp"
#include "model/weights.hpp"
#include "text/byte_pairs.hpp"

namespace tfx {

struct ModelOptions {
  std::optional<std::string> preset, weights, embeddings, text;
  std::optional<std::string> src, tgt; ///< ids, a row for each sentence, or words
  std::optional<std::size_t> layers, d_model, heads, d_ff, vocab, src_vocab, tgt_vocab, pad_id;
  std::optional<Norm> norm;
  std::optional<NormPlacement> placement;
  std::optional<std::uint32_t> seed;
  std::optional<WeightInit> init;
  std::optional<Stacks> family;
  std::optional<Positions> positions;
  std::optional<Activation> activation;
  std::optional<std::size_t> kv_heads;
  std::optional<std::string> config; ///< a config.json, which says what the weights do not show
  std::optional<std::string> tokens; ///< how --text is cut for a decoder alone: "bpe:FILE"
  bool gated = false, tied = false, no_bias = false;
};

/// Where a model's numbers come from: a file has its own shape; one of layers alone leaves the vocabularies
/// open, and what stands around the layers to be drawn.
enum class WeightsFrom { drawn, layers, given };

const std::vector<Option<ModelOptions, WeightsFrom>>& model_options();

const Choices<WeightInit>& weight_inits();

/// The id of padding where nothing is: no vocabulary has it.
constexpr std::uint32_t no_padding = static_cast<std::uint32_t>(-1);

struct ModelBatches {
  Batch src, tgt; ///< empty on a side that the model has not
  std::uint32_t pad = 0;
};

/// Tokens as the page calls them, of a single pair of sentences: of several none has a name.
struct TokenNames {
  std::vector<std::string> src, tgt, expected; ///< a name a token of the source, the target, the labels
  std::vector<std::string> vocabulary;         ///< of the target; empty where ids are their own names
};

template <class Real>
struct GivenModel {
  Transformer<Real> model;
  std::string weights;           ///< where they come from: "reverse", "model.npz", "xavier-uniform, …"
  bool is_trained = false;       ///< read, not drawn
  std::optional<ModelCard> card; ///< of a file that has one
  ModelBatches batches;
  TokenIds expected; ///< the token that each position should say, as --labels; empty where nobody says it
  std::vector<std::string> notes; ///< on the file's names
  std::string text;               ///< the source in words; empty where ids were given
  FileScheme scheme;              ///< how the file of --weights names its tensors
  std::optional<BytePairs> pairs; ///< of --tokens: the ids of the target are theirs
};

/// The model of the options: the weights of --weights, or the shipped model that reads --text; without any
/// option that says what to draw and without ids, the usual shipped model on a word of ours; else a model
/// drawn in the shape that was asked for. A model whose file names its tokens reads words: --tgt in words
/// starts with the start token and is to be said one place earlier, and without --tgt the model's own greedy
/// answer is. Without words: the ids of --src and --tgt, or 1 … 10 and all but the last of them. A decoder
/// alone has no source: it reads --tgt, or --text as --tokens cuts it, every id is a token and rows are
/// padded with --pad-id alone; of a text every token but the first is to be said. An encoder alone reads
/// --src. Throws Error(usage) where options contradict each other, for ids, words or lengths that the model
/// has not, or where the numbers of rows differ; Error(bad_data) for a file or a shape that makes no model.
template <class Real>
GivenModel<Real> given_model(const ModelOptions& options);

template <class Real>
TokenNames names_of(const GivenModel<Real>& given);

} // namespace tfx
