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

/// Parameters of both stacks, without embeddings and generator.
///   encoder layer  4·(d² + d) + (2·d·f + f + d) + 2·2·d        attention, feed-forward, norms
///   decoder layer  8·(d² + d) + (2·d·f + f + d) + 3·2·d
///   each stack     + 2·d                                       its last norm
std::uint64_t stack_parameters(const ModelSpec& spec);

/// Multiply-adds of the products of one forward pass, masked pairs included, n tokens of the source and m of
/// the target, a sequence each:
///   encoder layer  4·n·d² + 2·n²·d + 2·n·d·f
///   decoder layer  4·m·d² + 2·m²·d  +  2·m·d² + 2·n·d² + 2·m·n·d  +  2·m·d·f
///   generator      m·d·vocab
std::uint64_t forward_macs(const ModelSpec& spec, const Sequences& src, const Sequences& tgt);

/// Multiply-adds of one step of decoding: n tokens of the source, the new token at position m − 1, a
/// sequence.
///   memory      N·2·n·d²                                     K and V of the memory, once
///   cached      N·(6·d² + 2·m·d + 2·n·d + 2·d·f) + d·vocab   one query, whose keys are kept
///   recomputed  N·(m·(6·d² + 2·d·f) + 2·n·d² + 2·m²·d + 2·m·n·d) + d·vocab
std::uint64_t memory_macs(const ModelSpec& spec, std::uint64_t n);
std::uint64_t cached_step_macs(const ModelSpec& spec, std::uint64_t n, std::uint64_t m);
std::uint64_t recomputed_step_macs(const ModelSpec& spec, std::uint64_t n, std::uint64_t m);

/// Numbers that a cache keeps after m tokens: K and V of every layer, of the target and of the source.
///   N·2·d·(m + n)
std::uint64_t cached_numbers(const ModelSpec& spec, std::uint64_t n, std::uint64_t m);

} // namespace tfx
