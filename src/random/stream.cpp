#include "random/stream.hpp"

#include "kernels/simd/run.hpp"

#include <algorithm>
#include <cassert>

namespace tfx {

namespace {

constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
constexpr std::uint32_t golden_ratio = 0x9E3779B9, root_of_3 = 0xBB67AE85; // the key's two Weyl sequences
constexpr int rounds = 10;

} // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t a = multiplier_0 * counter[0], b = multiplier_1 * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + golden_ratio, key[1] + root_of_3};
  }
  return counter;
}

namespace {

constexpr std::size_t numbers_a_block = 8;

} // namespace

} // namespace tfx

#define TFX_KERNEL "random/philox.inc"
#include "kernels/simd/each_isa.inc"

namespace tfx {

std::uint32_t stream_number(std::string_view name) {
  std::uint32_t hash = 0x811C9DC5;
  for (const char letter : name) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x01000193;
  return hash;
}

RandomStream::RandomStream(std::uint64_t seed, std::uint32_t stream, std::uint64_t step)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      stream_(stream),
      step_(step) {}

double RandomStream::uniform(std::uint64_t index) {
  const std::uint64_t block = index / 4;
  assert(block >> 32 == 0);
  if (block != at_) {
    words_ = philox({static_cast<std::uint32_t>(block), stream_, static_cast<std::uint32_t>(step_),
                     static_cast<std::uint32_t>(step_ >> 32)},
                    key_);
    at_ = block;
  }
  return words_[index % 4] * 0x1p-32;
}

void RandomStream::draw(std::uint64_t first, std::size_t count, std::uint16_t* numbers) const {
  const std::array<std::uint32_t, 3> rest{stream_, static_cast<std::uint32_t>(step_),
                                          static_cast<std::uint32_t>(step_ >> 32)};
  TFX_CALL(draw_halves, first, count, numbers, rest, key_);
}

} // namespace tfx
