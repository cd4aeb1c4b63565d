#pragma once
// The sizes and the parts of a model and of what it reads, by name.

#include "architecture/blueprint.hpp"
#include "core/architecture.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tfx {
struct ModelSpec;
}

namespace tfx::params {

/// Whose names the tensors have. Mistral's, Qwen2's and Gemma's are Llama's.
enum class Family {
  attention_block,
  encoder_decoder,
  torch_encoder,
  bert,
  roberta,
  gpt2,
  opt,
  gpt_neox,
  llama,
  phi,
  t5,
  resnet18
};

/// FLOP of an activation, each cell.
constexpr std::uint64_t relu_steps = 1, silu_steps = 4, gelu_with_erf = 5, gelu_with_tanh = 9;

struct ModelShape : Architecture {
  Family family = Family::encoder_decoder;
  std::uint64_t src_vocab = 1, tgt_vocab = 1; ///< of models with one vocabulary, the same
  std::uint64_t context = 1;                  ///< tokens of a sequence, at most
  std::uint64_t batch = 1, seq = 128, tgt_seq = 128;
  bool tied = false;        ///< the generator is the table of the embeddings
  bool paper_style = false; ///< encoder-decoder: no norm after the last layer

  std::uint64_t kv_heads = 0; ///< heads of keys and values, each shared by a group of queries; 0: one a head
  std::uint64_t head_width = 0; ///< numbers of a head; 0: d_model / heads
  Positions positions = Positions::sinusoidal;
  Biases biases = {};
  std::uint64_t activation = relu_steps;
  bool gated = false; ///< feed-forward: a third matrix, whose output is multiplied by the activation's

  std::uint64_t decoder_layers = 0;  ///< T5; 0: as many as the encoder has
  std::uint64_t embedding_width = 0; ///< OPT: of the table, with projections on both sides; 0: d_model
  std::uint64_t rotated = 0;         ///< numbers of a head that rotary positions turn; 0: all
  std::uint64_t window = 0;          ///< tokens that a query sees at most, itself among them; 0: all
  std::uint64_t segments = 2;        ///< BERT's token types
  std::uint64_t buckets = 32;        ///< T5's distances
  bool final_norm = true;            ///< OPT: after the last layer
  bool norm_parameters = true;       ///< OPT: gain and shift
  bool norm_on_heads = false;        ///< Phi: of queries and keys
  bool scaled_embeddings = false;    ///< Gemma: times √d_model

  bool one_vocabulary() const { return src_vocab == tgt_vocab; }
  std::uint64_t key_heads() const { return kv_heads ? kv_heads : heads; }
  std::uint64_t width_of_head() const { return head_width ? head_width : d_model / heads; }
  std::uint64_t layers_of_decoder() const { return decoder_layers ? decoder_layers : layers; }

  friend bool operator==(const ModelShape&, const ModelShape&) = default;
};

/// What a family has where nothing says otherwise: positions, biases, activation, gate, ties. Its sizes are
/// still to be filled in.
ModelShape usual_shape(Family family);

bool has_two_stacks(Family family);

/// The engine's model, and the engine's model of that shape.
ModelShape shape_of(const ModelSpec& spec);
ModelSpec spec_of(const ModelShape& shape);

/// What a family usually makes its feed-forward layers' width from d_model. LLaMA's have three matrices and
/// so two thirds of 4·d, up to a multiple of 256.
DffRule d_ff_rule(Family family);

/// The sizes with the names the formulas use: N layers, d = d_model, f = d_ff, h heads, V tokens of the
/// vocabulary (S and T where source and target differ), P positions, B sequences of n tokens (m of the
/// target). Of all heads together, d_q is the width of the queries and d_kv that of the keys and of the
/// values; d_e is the width of the table of embeddings. A width that is another one again has the other one's
/// name: most models have d alone. 1 is a number: a batch of 1 stands in no formula.
struct Sizes {
  explicit Sizes(const ModelShape& shape);
  Figure d, f, h, src_vocab, tgt_vocab, P, B, n, m, d_q, d_kv, d_e;
};

Module attention_block(const ModelShape& shape);
Module encoder_decoder(const ModelShape& shape);
Module torch_encoder(const ModelShape& shape);
Module bert(const ModelShape& shape); ///< RoBERTa too
Module gpt2(const ModelShape& shape);
Module opt(const ModelShape& shape);
Module gpt_neox(const ModelShape& shape);
Module llama(const ModelShape& shape);
Module phi(const ModelShape& shape);
Module t5(const ModelShape& shape);
Module resnet18(const ModelShape& shape);

/// The blueprint of the shape's family.
Module blueprint(const ModelShape& shape);

/// `layer` as often as the shape says, named "layers.0", "layers.1", … after `stem`.
std::vector<Module> repeated(const Module& layer, const std::string& stem, std::uint64_t count);

/// Keys and values that decoding keeps.
struct KvCache {
  Figure each;           ///< numbers of a token, in all layers: "2·N·d_kv"
  Figure tokens;         ///< kept at once: a full context; of two stacks, source and target
  Figure all;            ///< numbers of these tokens, for the whole batch
  Figure without_groups; ///< the same numbers if every head had keys and values of its own
};

/// Nothing of models that do not write.
std::optional<KvCache> kv_cache(const ModelShape& shape);

} // namespace tfx::params
