#pragma once
// The Transformer: an encoder reads the source, a decoder writes the target looking at what the encoder made.
//
//   memory = norm(encoder layers(embed(src) + positions))
//   output = norm(decoder layers(embed(tgt) + positions, memory))
//   log_probs = log_softmax(W·output + b)
//
// Parameters have the names, order and shapes of The Annotated Transformer's state_dict (docs/model.md).
// Activations are reported to the context's observer as src_embed, encoder.layers.I.…, memory, tgt_embed,
// decoder.layers.I.…, decoder.output, logits, log_probs. Source: Vaswani et al. 2017; The Annotated
// Transformer.

#include "layers/embedding.hpp"
#include "layers/transformer_layer.hpp"
#include "model/batch.hpp"
#include "model/config.hpp"

#include <vector>

namespace tfx {

/// Layers and a norm after the last one, with pre-norm and with post-norm.
template <class Layer, class Real>
struct Stack {
  std::vector<Layer> layers;
  LayerNorm<Real> norm;

  Stack() = default;
  Stack(std::size_t count, std::size_t d_model, std::size_t d_ff)
      : layers(count, Layer(d_model, d_ff)), norm(d_model) {}

  template <class Visit, class... Stacks>
  static void visit(Visit& visit, const std::string& prefix, Stacks&... stacks) {
    for (std::size_t i = 0; i < first_of(stacks...).layers.size(); ++i)
      each_parameter(visit, join_names(prefix, "layers." + std::to_string(i)), stacks.layers[i]...);
    each_parameter(visit, join_names(prefix, "norm"), stacks.norm...);
  }
};

template <class Real>
using Encoder = Stack<EncoderLayer<Real>, Real>;
template <class Real>
using Decoder = Stack<DecoderLayer<Real>, Real>;

template <class Real>
struct EncoderDecoder {
  Config config;
  Encoder<Real> encoder;
  Decoder<Real> decoder;
  Embedding<Real> src_embed, tgt_embed;
  Linear<Real> generator;

  EncoderDecoder() = default;
  /// Norms 1 and 0, everything else 0. Throws what require_valid throws, and Error(no_memory) before taking
  /// memory that is not there.
  explicit EncoderDecoder(const Config& shape);

  template <class Visit, class... Models>
  static void visit(Visit& visit, const std::string& prefix, Models&... models) {
    each_parameter(visit, join_names(prefix, "encoder"), models.encoder...);
    each_parameter(visit, join_names(prefix, "decoder"), models.decoder...);
    each_parameter(visit, join_names(prefix, "src_embed.0"), models.src_embed...);
    each_parameter(visit, join_names(prefix, "tgt_embed.0"), models.tgt_embed...);
    each_parameter(visit, join_names(prefix, "generator.proj"), models.generator...);
  }
};

/// What backward needs of a forward pass through a stack, and what came out of it.
template <class LayerSaved, class Real>
struct StackSaved {
  std::vector<LayerSaved> layers;
  arma::Mat<Real> norm_input, output; ///< d_model × tokens
};

template <class Real>
struct ModelSaved {
  StackSaved<EncoderLayerSaved<Real>, Real> encoder; ///< its output is the memory
  StackSaved<DecoderLayerSaved<Real>, Real> decoder;
};

/// src → memory, d_model × tokens of src. Throws Error(bad_data) where an id is not in the vocabulary or a
/// sequence is longer than config.max_len.
template <class Real>
arma::Mat<Real> encode(const EncoderDecoder<Real>& model, const Batch& src,
                       const ForwardContext<Real>& context = {});

/// tgt and memory → d_model × tokens of tgt.
template <class Real>
arma::Mat<Real> decode(const EncoderDecoder<Real>& model, const Batch& tgt, const Tokens<Real>& memory,
                       const ForwardContext<Real>& context = {});

/// The decoder's output → log-probabilities of the next token, tgt_vocab × tokens.
template <class Real>
arma::Mat<Real> generate(const EncoderDecoder<Real>& model, const Tokens<Real>& output,
                         const ForwardContext<Real>& context = {});

/// All of it: log-probabilities, tgt_vocab × tokens of tgt.
template <class Real>
arma::Mat<Real> forward(const EncoderDecoder<Real>& model, const Batch& src, const Batch& tgt,
                        const ForwardContext<Real>& context = {});

/// All but the softmax, which a loss takes together with its logarithm: logits, tgt_vocab × tokens of tgt.
template <class Real>
arma::Mat<Real> logits(const EncoderDecoder<Real>& model, const Batch& src, const Batch& tgt,
                       const ForwardContext<Real>& context, ModelSaved<Real>& saved);

/// Backward of `logits`, given the same batches and context: adds to the gradient of every parameter.
template <class Real>
void backward(const Trainable<EncoderDecoder<Real>>& model, const ModelSaved<Real>& saved, const Batch& src,
              const Batch& tgt, const arma::Mat<Real>& d_logits, const ForwardContext<Real>& context);

/// The stacks alone, on vectors that somebody else made: x becomes the memory, or the decoder's output.
template <class Real>
void apply(const ResidualStream<Real>& x, const Encoder<Real>& encoder, const LayerStyle& style,
           const ForwardContext<Real>& context = {},
           StackSaved<EncoderLayerSaved<Real>, Real>* saved = nullptr);
template <class Real>
void apply(const ResidualStream<Real>& x, const Decoder<Real>& decoder, const Tokens<Real>& memory,
           const LayerStyle& style, const ForwardContext<Real>& context = {},
           StackSaved<DecoderLayerSaved<Real>, Real>* saved = nullptr);

} // namespace tfx
