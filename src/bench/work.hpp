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

/// An encoder-decoder reading `batch` sources of `src` tokens, and reading or writing as many of `tgt`.
struct EncoderDecoderShape {
  ModelSpec spec = {};
  std::size_t batch = 8, src = 64, tgt = 64;
  WeightType weights = WeightType::f32; ///< of decoding: those that a token reads
};

struct Work {
  double flops = 0;
  double bytes = 0;       ///< that must be read from memory; 0 where the arithmetic is the limit
  std::size_t tokens = 0; ///< that go through
};

/// tokens·4·d² for the projections; 2·d a pair of query and key that may see each other, of which a sequence
/// has n² or, causal, n·(n + 1)/2.
Work attention_work(const AttentionShape& shape);

/// encoder layer 4·n·d² + 2·n²·d + 2·n·d·f; decoder layer 6·m·d² + 2·n·d² + m·(m + 1)·d + 2·m·n·d + 2·m·d·f;
/// generator m·d·V; a sequence each of n source and m target tokens.
Work model_work(const EncoderDecoderShape& shape);

/// Backward takes every product twice more: one for the gradient of each factor.
Work train_work(const EncoderDecoderShape& shape);

/// The encoder, K and V of the memory, then m steps of one token with a cache; in bytes of float: the weights
/// of the encoder once, and in every step those of decoder and generator, in their type, with the cache.
/// `tokens` are those written.
Work decode_work(const EncoderDecoderShape& shape);

enum class What { attention, model, train, decode };

/// "attention", "model", "train", "decode".
const Choices<What>& works();
std::string name_of(What what);

struct WorkPreset {
  std::string name;
  What what;
  std::variant<AttentionShape, EncoderDecoderShape> shape; ///< the former for attention
};

/// A1 … A4, B11, B10k, C, D11, D10k.
const std::vector<WorkPreset>& presets();

std::vector<std::string> work_preset_names();

/// nullptr where there is none of that name.
const WorkPreset* find_preset(const std::string& name);

/// The first preset of that work: what is timed where nothing else is asked for.
const WorkPreset& default_preset(What what);

} // namespace tfx::bench
