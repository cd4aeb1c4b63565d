#pragma once
// The sizes of a model and of what it reads, by name.

#include "architecture/blueprint.hpp"
#include "core/architecture.hpp"

#include <cstdint>
#include <string>

namespace tfx {
struct ModelSpec;
}

namespace tfx::params {

enum class Family { attention_block, encoder_decoder, bert, gpt2, llama, resnet18 };

struct ModelShape : Architecture {
  Family family = Family::encoder_decoder;
  std::uint64_t src_vocab = 1, tgt_vocab = 1; ///< of models with one vocabulary, the same
  std::uint64_t context = 1;                  ///< tokens of a sequence, at most
  std::uint64_t batch = 1, seq = 128, tgt_seq = 128;
  bool tied = false;        ///< the generator is the table of the embeddings
  bool paper_style = false; ///< encoder-decoder: no norm after the last layer, no bias before the softmax

  bool one_vocabulary() const { return src_vocab == tgt_vocab; }
};

/// The engine's model, and the engine's model of that shape.
ModelShape shape_of(const ModelSpec& spec);
ModelSpec spec_of(const ModelShape& shape);

/// What a family usually makes its feed-forward layers' width from d_model. LLaMA's have three matrices and
/// so two thirds of 4·d, up to a multiple of 256.
DffRule d_ff_rule(Family family);

/// The sizes with the names the formulas use: N layers, d = d_model, f = d_ff, h heads, V tokens of the
/// vocabulary (S and T where source and target differ), P positions, B sequences of n tokens (m of the
/// target). 1 is a number: a batch of 1 stands in no formula.
struct Sizes {
  explicit Sizes(const ModelShape& shape);
  Figure d, f, h, src_vocab, tgt_vocab, P, B, n, m;
};

Module attention_block(const ModelShape& shape);
Module encoder_decoder(const ModelShape& shape);
Module bert(const ModelShape& shape);
Module gpt2(const ModelShape& shape);
Module llama(const ModelShape& shape);
Module resnet18(const ModelShape& shape);

/// The blueprint of the shape's family.
Module blueprint(const ModelShape& shape);

/// `layer` as often as the shape says, named "layers.0", "layers.1", … after `stem`.
std::vector<Module> repeated(const Module& layer, const std::string& stem, std::uint64_t count);

} // namespace tfx::params
