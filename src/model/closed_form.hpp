#pragma once
// What an encoder-decoder holds and does, by formula: the counts of its parameters and of the multiply-adds
// of one forward pass. `tfx model` compares them with the parameters it counts and the products it executes.

#include "layers/sequences.hpp"
#include "model/config.hpp"

#include <cstdint>

namespace tfx {

/// Parameters of both stacks, without embeddings and generator.
///   encoder layer  4·(d² + d) + (2·d·f + f + d) + 2·2·d        attention, feed-forward, norms
///   decoder layer  8·(d² + d) + (2·d·f + f + d) + 3·2·d
///   each stack     + 2·d                                       its last norm
std::uint64_t stack_parameters(const Config& config);

/// Multiply-adds of the products of one forward pass, masked pairs included, n tokens of the source and m of
/// the target, a sequence each:
///   encoder layer  4·n·d² + 2·n²·d + 2·n·d·f
///   decoder layer  4·m·d² + 2·m²·d  +  2·m·d² + 2·n·d² + 2·m·n·d  +  2·m·d·f
///   generator      m·d·vocab
std::uint64_t forward_macs(const Config& config, const Sequences& src, const Sequences& tgt);

/// Multiply-adds of one step of decoding: n tokens of the source, the new token at position m − 1, a
/// sequence.
///   memory      N·2·n·d²                                     K and V of the memory, once
///   cached      N·(6·d² + 2·m·d + 2·n·d + 2·d·f) + d·vocab   one query, whose keys are kept
///   recomputed  N·(m·(6·d² + 2·d·f) + 2·n·d² + 2·m²·d + 2·m·n·d) + d·vocab
std::uint64_t memory_macs(const Config& config, std::uint64_t n);
std::uint64_t cached_step_macs(const Config& config, std::uint64_t n, std::uint64_t m);
std::uint64_t recomputed_step_macs(const Config& config, std::uint64_t n, std::uint64_t m);

/// Numbers that a cache keeps after m tokens: K and V of every layer, of the target and of the source.
///   N·2·d·(m + n)
std::uint64_t cached_numbers(const Config& config, std::uint64_t n, std::uint64_t m);

} // namespace tfx
