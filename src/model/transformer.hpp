#pragma once
// The Transformer: an encoder reads the source, a decoder writes the target looking at what the encoder made.
//
//   memory = norm(encoder layers(embed(src) + positions))
//   output = norm(decoder layers(embed(tgt) + positions, memory))
//   log_probs = log_softmax(W·output + b)
//
// A decoder alone, as GPT, has no source and no memory; an encoder alone, as BERT, ends at its memory.
// Parameters have the names, order and shapes of The Annotated Transformer's state_dict (docs/model.md).
// Activations are reported to the context's observer as src_embed, encoder.layers.I.…, memory, tgt_embed,
// decoder.layers.I.…, decoder.output, logits, log_probs. Source: Vaswani et al. 2017; The Annotated
// Transformer.

#include "layers/block.hpp"
#include "layers/embedding.hpp"
#include "model/batch.hpp"
#include "model/model_spec.hpp"

#include <optional>
#include <type_traits>
#include <vector>

namespace tfx {

/// Layers and a norm after the last one, with pre-norm and with post-norm; empty in a model without it.
template <class Real>
struct Stack {
  std::vector<Block<Real>> layers;
  Normalization<Real> norm;

  Stack() = default;
  Stack(const ModelSpec& spec, CrossAttention cross) : layers(spec.layers, Block<Real>(spec, cross)) {
    if (spec.final_norm) norm = Normalization<Real>(spec.d_model, spec.norm);
  }

  template <class Visit, class... Stacks>
  static void visit(Visit& visit, const std::string& prefix, Stacks&... stacks) {
    for (std::size_t i = 0; i < first_of(stacks...).layers.size(); ++i)
      each_parameter(visit, join_names(prefix, "layers." + std::to_string(i)), stacks.layers[i]...);
    each_parameter(visit, join_names(prefix, "norm"), stacks.norm...);
  }
};

/// What a side begins with: its table of tokens, and where the spec has them a table of positions and a norm.
template <class Real>
struct InputLayer : Embedding<Real> {
  LearnedPositions<Real> positions;
  Normalization<Real> norm;

  InputLayer() = default;
  InputLayer(const ModelSpec& spec, std::size_t vocab) : Embedding<Real>(spec.d_model, vocab) {
    if (spec.positions == Positions::learned) positions = LearnedPositions<Real>(spec.d_model, spec.max_len);
    if (spec.embedding_norm) norm = Normalization<Real>(spec.d_model, spec.norm);
  }

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    Embedding<Real>::visit(visit, join_names(prefix, "0"), layers...);
    if (!first_of(layers...).positions.table.is_empty())
      each_parameter(visit, join_names(prefix, "1"), layers.positions...);
    each_parameter(visit, join_names(prefix, "norm"), layers.norm...);
  }
};

template <class Real>
struct Transformer {
  ModelSpec spec;
  Stack<Real> encoder, decoder;
  InputLayer<Real> src_embed, tgt_embed;
  Linear<Real> generator; ///< empty where it is tied to tgt_embed

  Transformer() = default;
  /// Norms 1 and 0, everything else 0. Throws what require_valid throws, and Error(no_memory) before taking
  /// memory that is not there.
  explicit Transformer(const ModelSpec& shape);

  template <class Visit, class... Models>
  static void visit(Visit& visit, const std::string& prefix, Models&... models) {
    const ModelSpec& spec = first_of(models...).spec;
    if (spec.has_encoder()) each_parameter(visit, join_names(prefix, "encoder"), models.encoder...);
    if (spec.has_decoder()) each_parameter(visit, join_names(prefix, "decoder"), models.decoder...);
    if (spec.has_encoder()) each_parameter(visit, join_names(prefix, "src_embed"), models.src_embed...);
    if (!spec.has_decoder()) return;
    each_parameter(visit, join_names(prefix, "tgt_embed"), models.tgt_embed...);
    if (!spec.tied) each_parameter(visit, join_names(prefix, "generator.proj"), models.generator...);
  }
};

/// What a model reads: an encoder-decoder both, a decoder the target alone, an encoder the source alone; the
/// other batch is empty. Both have to outlive it.
struct Inputs {
  const Batch* src = nullptr;
  const Batch* tgt = nullptr;

  Inputs(const Batch& source, const Batch& target)
      : src(source.ids.empty() ? nullptr : &source), tgt(target.ids.empty() ? nullptr : &target) {}
};

/// What a decoder attends to; nothing in a model without an encoder.
template <class Real>
using Memory = std::type_identity_t<std::optional<Tokens<Real>>>;

/// What backward needs of a forward pass through a stack, and what came out of it.
template <class Real>
struct StackSaved {
  std::vector<BlockSaved<Real>> layers;
  arma::Mat<Real> embedded, norm_input, output; ///< d_model × tokens; embedded: before its norm
};

template <class Real>
struct ModelSaved {
  StackSaved<Real> encoder, decoder; ///< the encoder's output is the memory
};

/// src → memory, d_model × tokens of src. Throws Error(bad_data) where an id is not in the vocabulary or a
/// sequence is longer than spec.max_len.
template <class Real>
arma::Mat<Real> encode(const Transformer<Real>& model, const Batch& src,
                       const ForwardContext<Real>& context = {});

/// tgt and, where the model has an encoder, memory → d_model × tokens of tgt.
template <class Real>
arma::Mat<Real> decode(const Transformer<Real>& model, const Batch& tgt, Memory<Real> memory,
                       const ForwardContext<Real>& context = {});

/// The tokens of a side as the first layer reads them, d_model × tokens: embedded, placed, normalised where
/// the spec says so. `before`: keeps what is normalised.
template <class Real>
arma::Mat<Real> embed_tokens(const InputLayer<Real>& layer, const ModelSpec& spec, const Batch& batch,
                             const Places& places, arma::Mat<Real>* before = nullptr);

/// The decoder's output → logits, tgt_vocab × tokens.
template <class Real>
arma::Mat<Real> logits_of(const Transformer<Real>& model, const arma::Mat<Real>& output);

/// The decoder's output → log-probabilities of the next token, tgt_vocab × tokens.
template <class Real>
arma::Mat<Real> generate(const Transformer<Real>& model, const Tokens<Real>& output,
                         const ForwardContext<Real>& context = {});

/// All of it: log-probabilities, tgt_vocab × tokens of tgt; of an encoder alone its memory.
template <class Real>
arma::Mat<Real> forward(const Transformer<Real>& model, const Inputs& inputs,
                        const ForwardContext<Real>& context = {});

/// All but the softmax, which a loss takes together with its logarithm: logits, tgt_vocab × tokens of tgt; of
/// an encoder alone its memory.
template <class Real>
arma::Mat<Real> logits(const Transformer<Real>& model, const Inputs& inputs,
                       const ForwardContext<Real>& context, ModelSaved<Real>& saved);

/// Backward of `logits`, given the same inputs and context: adds to the gradient of every parameter.
template <class Real>
void backward(const Trainable<Transformer<Real>>& model, const ModelSaved<Real>& saved, const Inputs& inputs,
              const arma::Mat<Real>& d_logits, const ForwardContext<Real>& context);

} // namespace tfx
