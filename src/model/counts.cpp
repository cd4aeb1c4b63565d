#include "model/counts.hpp"

#include <algorithm>

namespace tfx {

namespace {

using Count = std::uint64_t;

Count sides(const ModelSpec& spec) {
  return Count{spec.has_encoder()} + Count{spec.has_decoder()};
}

bool attends_to_memory(const ModelSpec& spec) {
  return spec.stacks == Stacks::both;
}

/// Widths of all heads together, and numbers of the matrices that a token goes through in a layer.
struct Matrices {
  Count width, key_width; ///< d_q and d_kv
  Count queries;          ///< W_Q and W_O
  Count keys;             ///< W_K and W_V
  Count feed_forward;     ///< with the gate's

  explicit Matrices(const ModelSpec& spec)
      : width(Count{spec.heads} * spec.width_of_head()),
        key_width(Count{spec.key_heads()} * spec.width_of_head()),
        queries(2 * spec.d_model * width),
        keys(2 * spec.d_model * key_width),
        feed_forward((spec.gated ? 3u : 2u) * Count{spec.d_model} * spec.d_ff) {}

  Count self() const { return queries + keys + feed_forward; }
};

Count norm_parameters(const ModelSpec& spec, Count width) {
  return (Count{spec.norm.gain} + Count{spec.norm.shift}) * width;
}

/// Sum of min(t, window) over t = 1 … count.
Count seen_up_to(Count count, Count window) {
  const Count growing = window ? std::min(count, window) : count;
  return growing * (growing + 1) / 2 + (count - growing) * window;
}

/// `fresh` causal queries after `before` tokens.
Count self_pairs(const ModelSpec& spec, Count before, Count fresh, CountedPairs pairs) {
  if (pairs == CountedPairs::all) return fresh * (before + fresh);
  return seen_up_to(before + fresh, spec.window) - seen_up_to(before, spec.window);
}

/// The decoder's layers, K and V of the memory aside.
Count decoder_macs(const ModelSpec& spec, Count n, Count before, Count fresh, CountedPairs pairs) {
  const Count seen = self_pairs(spec, before, fresh, pairs) + fresh * n;
  return fresh * token_matrices(spec).numbers + spec.layers * 2 * seen * Matrices(spec).width;
}

Count generator_macs(const ModelSpec& spec, Count tokens) {
  return tokens * spec.d_model * spec.tgt_vocab;
}

} // namespace

std::uint64_t stack_parameters(const ModelSpec& spec) {
  const Matrices of(spec);
  const Count d = spec.d_model, f = spec.d_ff;
  Count attention = of.queries + of.keys, feed_forward = of.feed_forward;
  if (spec.biases.queries) attention += of.width + 2 * of.key_width;
  if (spec.biases.output) attention += d;
  if (spec.qk_norm) attention += 2 * norm_parameters(spec, spec.width_of_head());
  attention += norm_parameters(spec, d);
  if (f && spec.biases.feed_forward) feed_forward += (spec.gated ? 2u : 1u) * f + d;
  if (f) feed_forward += norm_parameters(spec, d);
  const Count attentions = sides(spec) + Count{attends_to_memory(spec)};
  const Count last = spec.final_norm ? norm_parameters(spec, d) : 0;
  return spec.layers * (attentions * attention + sides(spec) * feed_forward) + sides(spec) * last;
}

std::uint64_t model_parameters(const ModelSpec& spec) {
  const Count d = spec.d_model;
  Count rows = spec.positions == Positions::learned ? sides(spec) * spec.max_len : 0;
  if (spec.has_encoder()) rows += spec.src_vocab;
  if (spec.has_decoder()) rows += spec.tgt_vocab;
  Count all = stack_parameters(spec) + rows * d;
  if (spec.embedding_norm) all += sides(spec) * norm_parameters(spec, d);
  if (spec.has_decoder() && !spec.tied) all += (d + Count{spec.biases.generator}) * spec.tgt_vocab;
  return all;
}

std::uint64_t forward_macs(const ModelSpec& spec, const Sequences& src, const Sequences& tgt,
                           CountedPairs pairs) {
  const Matrices of(spec);
  Count macs = 0;
  for (std::size_t s = 0; s < std::max(src.count(), tgt.count()); ++s) {
    const Count n = spec.has_encoder() ? src.length(s) : 0;
    macs += spec.layers * (n * of.self() + 2 * n * n * of.width);
    if (!spec.has_decoder()) continue;
    const Count m = tgt.length(s);
    macs += memory_macs(spec, n) + decoder_macs(spec, n, 0, m, pairs) + generator_macs(spec, m);
  }
  return macs;
}

TokenMatrices token_matrices(const ModelSpec& spec) {
  const Matrices of(spec);
  const Count d = spec.d_model, cross = attends_to_memory(spec),
              feed_forward = spec.d_ff ? (spec.gated ? 2u : 1u) * Count{spec.d_ff} + d : 0;
  return {spec.layers * (of.self() + cross * of.queries),
          spec.layers * (of.width + 2 * of.key_width + d + cross * (of.width + d) + feed_forward)};
}

std::uint64_t memory_macs(const ModelSpec& spec, std::uint64_t n) {
  return spec.layers * n * Matrices(spec).keys;
}

std::uint64_t read_macs(const ModelSpec& spec, std::uint64_t n, std::uint64_t before, std::uint64_t fresh,
                        CountedPairs pairs) {
  return decoder_macs(spec, n, before, fresh, pairs) + generator_macs(spec, 1);
}

std::uint64_t cached_step_macs(const ModelSpec& spec, std::uint64_t n, std::uint64_t m) {
  return read_macs(spec, n, m - 1, 1);
}

std::uint64_t recomputed_step_macs(const ModelSpec& spec, std::uint64_t n, std::uint64_t m) {
  return memory_macs(spec, n) + read_macs(spec, n, 0, m);
}

std::uint64_t cached_numbers(const ModelSpec& spec, std::uint64_t n, std::uint64_t m) {
  return spec.layers * 2 * Matrices(spec).key_width * (m + n);
}

} // namespace tfx
