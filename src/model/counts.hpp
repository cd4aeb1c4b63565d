#pragma once
// What a model holds and does, counted twice: the names, shapes and number of its parameters as they stand in
// it, and by formula, with the multiply-adds of a forward pass and of a step of decoding. `tfx model`
// compares the formulas with the parameters it counts and the products it executes.

#include "core/shape.hpp"
#include "layers/parameters.hpp"
#include "layers/tokens.hpp"
#include "model/model_spec.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tfx {

struct NamedShape {
  std::string name;
  Shape shape; ///< as PyTorch has it: (d_out, d_in)
};

/// Every parameter of a layer or model in checkpoint order.
template <class Layer>
std::vector<NamedShape> parameter_shapes(const Layer& layer, const std::string& prefix = "") {
  std::vector<NamedShape> shapes;
  each_parameter(
      [&](const std::string& name, const auto& tensor) {
        shapes.push_back({name, torch_shape(tensor)});
      },
      prefix, layer);
  return shapes;
}

/// How many numbers they are. A layer of ShapesOnly is counted like any other.
template <class Layer>
std::size_t count_parameters(const Layer& layer) {
  std::size_t count = 0;
  for (const NamedShape& parameter : parameter_shapes(layer)) count += element_count(parameter.shape);
  return count;
}

// By formula, of any spec. d is d_model, f is d_ff, N the layers of a stack, V a vocabulary; of all heads
// together d_q is the width of the queries and d_kv that of the keys, both d unless the spec says otherwise.
// A source has n tokens, a target m; what a model does not have, a stack or a feed-forward, counts 0.

/// Parameters of the stacks, without embeddings and generator. g is how many of gain and shift a norm has, w
/// the width of a head:
///   attention      2·d·d_q + 2·d·d_kv    + d_q + 2·d_kv of biases, d of the output's, 2·g·w of norms on Q, K
///   feed-forward   2·d·f, gated 3·d·f    + f + d of biases, gated 2·f + d
///   a layer        attention (two beside an encoder's output), feed-forward, and g·d for each of them
///   each stack     + g·d                 its last norm
std::uint64_t stack_parameters(const ModelSpec& spec);

/// All parameters. Besides the stacks each side has V·d of a table of tokens, max_len·d of learned positions
/// and g·d of a norm behind it; the generator d·V + V of biases, or nothing where it is tied.
std::uint64_t model_parameters(const ModelSpec& spec);

/// Which pairs of a query and a key count: all that stand in their matrix, as they are executed; or those
/// that a causal mask and its window show, which are all that the result needs. Padding counts as any token.
enum class CountedPairs { all, seen };

/// Multiply-adds of the products of one forward pass, the source's and the target's sequences in pairs, or
/// those of the one side that the model has:
///   encoder layer  n·(2·d·d_q + 2·d·d_kv) + 2·n²·d_q + n·(2·d·f)                       gated n·(3·d·f)
///   decoder layer  m·(2·d·d_q + 2·d·d_kv) + 2·m²·d_q + m·(2·d·f)
///                  + m·2·d·d_q + n·2·d·d_kv + 2·m·n·d_q                               beside an encoder
///   generator      m·d·V, tied or not
/// Instead of m² a causal query sees m·(m + 1)/2 keys, with a window W the sum of min(t, W) over t = 1 … m.
std::uint64_t forward_macs(const ModelSpec& spec, const Sequences& src, const Sequences& tgt,
                           CountedPairs pairs = CountedPairs::all);

/// The matrices that a decoded token goes through in all layers: their numbers, and their rows, as PyTorch
/// has them: (d_out, d_in). The generator has d·V numbers in V rows besides.
struct TokenMatrices {
  std::uint64_t numbers = 0, rows = 0;
};
TokenMatrices token_matrices(const ModelSpec& spec);

/// Multiply-adds of decoding a sequence beside n tokens of the source, 0 without an encoder.
///   memory      N·2·n·d·d_kv                              K and V of the memory, once
///   read        the decoder's layers of `fresh` tokens after `before` others, whose keys are kept, and the
///               generator of the last one: of a prompt, or of a step
///   cached      that of one token at position m − 1
///   recomputed  that of m tokens after none, and K and V of the memory
std::uint64_t memory_macs(const ModelSpec& spec, std::uint64_t n);
std::uint64_t read_macs(const ModelSpec& spec, std::uint64_t n, std::uint64_t before, std::uint64_t fresh,
                        CountedPairs pairs = CountedPairs::all);
std::uint64_t cached_step_macs(const ModelSpec& spec, std::uint64_t n, std::uint64_t m);
std::uint64_t recomputed_step_macs(const ModelSpec& spec, std::uint64_t n, std::uint64_t m);

/// Numbers that a cache keeps after m tokens: K and V of every layer, of the target and of the source.
///   N·2·d_kv·(m + n)
std::uint64_t cached_numbers(const ModelSpec& spec, std::uint64_t n, std::uint64_t m);

} // namespace tfx
