#pragma once
// What is timed, as shapes, by the names under which other programs were measured on them too
// (docs/benchmark.md), and how much of it is useful. Useful are the multiply-adds of the products that the
// result needs, 2 FLOP each: a pair that the mask hides is not, nor are softmax, norms and the rest, which
// are a few percent. So a program that computes hidden pairs, or anything twice, gets no credit for it.

#include "core/choices.hpp"
#include "kernels/mask.hpp"
#include "kernels/narrow.hpp"
#include "model/model_spec.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tfx::bench {

/// Token and learned position embedding, multi-head self-attention, output projection; no biases. The
/// defaults are the first configuration that the tutorial attention-block times.
struct AttentionShape {
  std::size_t batch = 8, seq = 64, d_model = 256, heads = 4, vocab = 10'000;
  Mask mask = Mask::causal;

  std::size_t tokens() const { return batch * seq; }
};

/// An encoder-decoder reading `batch` sources of `src` tokens, and reading or writing as many of `tgt`; or a
/// decoder alone, which has no source, but may be given a prompt.
struct TransformerShape {
  ModelSpec spec = {};
  std::size_t batch = 8, src = 64, tgt = 64;
  WeightType weights = WeightType::f32;  ///< of decoding: those that a token reads
  std::size_t prompt = 1;                ///< of decoding: tokens read in one pass before any is written
  double smoothing = 0.1, dropout = 0.1; ///< in training; the former is of the labels

  std::size_t sources() const { return spec.has_encoder() ? src : 0; } ///< tokens
};

struct Work {
  double flops = 0;
  double bytes = 0;       ///< that must be read from memory; 0 where the arithmetic is the limit
  std::size_t tokens = 0; ///< that go through
};

/// tokens·4·d² for the projections; 2·d a pair of query and key that may see each other, of which a sequence
/// has n² or, causal, n·(n + 1)/2.
Work attention_work(const AttentionShape& shape);

/// A forward pass, without the pairs that the mask hides (model/counts.hpp).
Work model_work(const TransformerShape& shape);

/// Backward takes every product twice more: one for the gradient of each factor.
Work train_work(const TransformerShape& shape);

/// The encoder and K and V of the memory, if there is one; the prompt in one pass, and a step with a cache
/// for every token written but the last. In bytes of float: the weights of the encoder once, and in that pass
/// and every step those of decoder and generator, in their type, with the cache. `tokens` are those written.
Work decode_work(const TransformerShape& shape);

enum class What { attention, model, train, decode };

/// "attention", "model", "train", "decode".
const Choices<What>& works();
std::string name_of(What what);

/// "encoder-decoder", "decoder": the families of models that are timed.
const Choices<Stacks>& families();

struct WorkPreset {
  std::string name;
  What what;
  std::variant<AttentionShape, TransformerShape> shape; ///< the former for attention
};

/// A1 … A4, B11, B10k, C, D11, D10k; of a GPT E, F, G: forward pass, training step, decoding; H: a training
/// step of gpt-micro.
const std::vector<WorkPreset>& presets();

std::vector<std::string> work_preset_names();

/// nullptr where there is none of that name.
const WorkPreset* find_preset(const std::string& name);

/// The family whose model the preset's is; none of attention.
std::optional<Stacks> family_of(const WorkPreset& preset);

/// The first preset of that work and, unless it is attention, family: what is timed where nothing else is
/// asked for.
const WorkPreset& default_preset(What what, Stacks family);

} // namespace tfx::bench
