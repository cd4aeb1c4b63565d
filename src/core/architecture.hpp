#pragma once
// The sizes of a Transformer and what its layers may choose between, whatever its family and whatever it
// reads: the page, the engine's model, what `tfx params` counts, what is trained and what is timed hold them.

#include "core/choices.hpp"
#include "core/shape.hpp"

#include <optional>

namespace tfx {

/// How a token is normalised; kernels/layer_norm.hpp has the formulas.
enum class Norm {
  annotated, ///< (x − mean) / (std + ε), std over d − 1: The Annotated Transformer's own
  layer,     ///< (x − mean) / √(variance + ε), variance over d: nn.LayerNorm
  rms        ///< x / √(mean of x² + ε): RMSNorm, Llama's
};
/// The ε of a norm unless a model's file says another.
constexpr double usual_epsilon(Norm norm) {
  return norm == Norm::annotated ? 1e-6 : 1e-5;
}
inline const Choices<Norm>& norm_words() {
  static const Choices<Norm> all{
      {"annotated", Norm::annotated}, {"standard", Norm::layer}, {"rms", Norm::rms}};
  return all;
}

/// Those that a lesson and a training offer.
inline const Choices<Norm>& page_norm_words() {
  static const Choices<Norm> all{{"annotated", Norm::annotated}, {"standard", Norm::layer}};
  return all;
}

/// Whether the norm stands before the function or after the residual: `--norm-first` and `--norm-last`.
enum class NormPlacement { pre_norm, post_norm };
inline const Choices<NormPlacement>& placement_words() {
  static const Choices<NormPlacement> all{{"first", NormPlacement::pre_norm},
                                          {"last", NormPlacement::post_norm}};
  return all;
}

/// The non-linearity of the feed-forward; kernels/activation.hpp has the formulas.
enum class Activation {
  relu,         ///< max(0, x)
  squared_relu, ///< max(0, x)²: Primer's
  gelu,         ///< x·Φ(x): nn.GELU()
  gelu_tanh,    ///< its approximation by tanh: GPT-2's
  silu          ///< x·σ(x): nn.SiLU(), also called Swish
};
inline const Choices<Activation>& activation_words() {
  static const Choices<Activation> all{{"relu", Activation::relu},
                                       {"squared_relu", Activation::squared_relu},
                                       {"gelu", Activation::gelu},
                                       {"gelu_tanh", Activation::gelu_tanh},
                                       {"silu", Activation::silu}};
  return all;
}

/// Which two cells of a head's w turn together by a rotary position; kernels/rotary.hpp has the formula.
enum class RotaryPairs {
  neighbours, ///< 2i and 2i + 1: RoFormer's, Llama's own files
  halves      ///< i and i + w/2: GPT-NeoX's, Llama's files at Hugging Face
};
inline const Choices<RotaryPairs>& rotary_words() {
  static const Choices<RotaryPairs> all{{"neighbours", RotaryPairs::neighbours},
                                        {"halves", RotaryPairs::halves}};
  return all;
}

/// How many cells behind the first of a pair of a head's w the second stands.
inline std::size_t apart(RotaryPairs pairs, std::size_t width) {
  return pairs == RotaryPairs::neighbours ? 1 : width / 2;
}

inline constexpr double usual_rotary_base = 10000; ///< Su et al. 2021

/// Where a token learns its place: from rows that are added, computed or learned, from rotated queries and
/// keys, from numbers added to the scores (T5), or nowhere.
enum class Positions { none, sinusoidal, learned, rotary, relative };

inline const Choices<Positions>& position_words() {
  static const Choices<Positions> all{{"learned", Positions::learned},
                                      {"rotary", Positions::rotary},
                                      {"sinusoidal", Positions::sinusoidal},
                                      {"none", Positions::none}};
  return all;
}

/// Which linear layers add one.
struct Biases {
  bool queries = true; ///< W_Q, W_K and W_V
  bool output = true;  ///< W_O
  bool feed_forward = true, generator = true;

  friend bool operator==(const Biases&, const Biases&) = default;
};

/// The defaults are make_model's of The Annotated Transformer.
struct Architecture {
  std::size_t layers = 6; ///< of an encoder-decoder: on each side
  std::size_t d_model = 512, d_ff = 2048, heads = 8;

  bool operator==(const Architecture&) const = default;
};

/// A feed-forward layer is four times as wide as the model unless somebody says otherwise. Throws
/// Error(no_memory) where that does not fit in 63 bits.
inline std::size_t usual_d_ff(std::size_t d_model) {
  return checked_product(4, d_model, Message::given("d_ff"));
}

/// From d_model to the usual d_ff.
using DffRule = std::size_t (*)(std::size_t d_model);

/// Sizes that a learner gave in place of an architecture's own.
struct GivenSizes {
  std::optional<std::size_t> layers, d_model, d_ff, heads;
};

/// The sizes of `own`, but for those that were given. Another width brings its usual feed-forward width
/// along.
inline Architecture resized(Architecture own, const GivenSizes& given, DffRule usual = usual_d_ff) {
  if (given.d_model && *given.d_model != own.d_model)
    own.d_model = *given.d_model, own.d_ff = usual(*given.d_model);
  own.layers = given.layers.value_or(own.layers);
  own.d_ff = given.d_ff.value_or(own.d_ff);
  own.heads = given.heads.value_or(own.heads);
  return own;
}

} // namespace tfx
