#pragma once
// What an encoder-decoder holds and does, by formula: the counts of its parameters and of the multiply-adds
// of one forward pass. They are compared with what was walked and what was executed.

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

} // namespace tfx
