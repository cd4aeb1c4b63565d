#include "model/counts.hpp"

namespace tfx {

std::uint64_t stack_parameters(const ModelSpec& spec) {
  const std::uint64_t d = spec.d_model, f = spec.d_ff;
  const std::uint64_t attention = 4 * (d * d + d), feed_forward = 2 * d * f + f + d, norm = 2 * d;
  const std::uint64_t encoder_layer = attention + feed_forward + 2 * norm;
  const std::uint64_t decoder_layer = 2 * attention + feed_forward + 3 * norm;
  return spec.layers * (encoder_layer + decoder_layer) + 2 * norm;
}

std::uint64_t forward_macs(const ModelSpec& spec, const Sequences& src, const Sequences& tgt) {
  const std::uint64_t d = spec.d_model, f = spec.d_ff;
  std::uint64_t macs = 0;
  for (std::size_t s = 0; s < src.count(); ++s) {
    const std::uint64_t n = src.length(s), m = tgt.length(s);
    const std::uint64_t encoder_layer = 4 * n * d * d + 2 * n * n * d + 2 * n * d * f;
    const std::uint64_t self = 4 * m * d * d + 2 * m * m * d;
    const std::uint64_t cross = 2 * m * d * d + 2 * n * d * d + 2 * m * n * d;
    const std::uint64_t decoder_layer = self + cross + 2 * m * d * f;
    macs += spec.layers * (encoder_layer + decoder_layer) + m * d * spec.tgt_vocab;
  }
  return macs;
}

std::uint64_t memory_macs(const ModelSpec& spec, std::uint64_t n) {
  return spec.layers * 2 * n * spec.d_model * spec.d_model;
}

std::uint64_t cached_step_macs(const ModelSpec& spec, std::uint64_t n, std::uint64_t m) {
  const std::uint64_t d = spec.d_model, f = spec.d_ff;
  return spec.layers * (6 * d * d + 2 * m * d + 2 * n * d + 2 * d * f) + d * spec.tgt_vocab;
}

std::uint64_t recomputed_step_macs(const ModelSpec& spec, std::uint64_t n, std::uint64_t m) {
  const std::uint64_t d = spec.d_model, f = spec.d_ff;
  return spec.layers * (m * (6 * d * d + 2 * d * f) + 2 * n * d * d + 2 * m * m * d + 2 * m * n * d) +
         d * spec.tgt_vocab;
}

std::uint64_t cached_numbers(const ModelSpec& spec, std::uint64_t n, std::uint64_t m) {
  return spec.layers * 2 * spec.d_model * (m + n);
}

} // namespace tfx
