#include "random/stream.hpp"

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

/// Blocks that are computed side by side: a register of words, for the compiler.
constexpr std::size_t lanes = 8;
constexpr std::size_t numbers_a_block = 8;

/// Blocks first … first + lanes − 1, word after word: the same ten rounds, a lane a block.
void philox_lanes(std::uint64_t first, std::array<std::uint32_t, 3> rest, std::array<std::uint32_t, 2> key,
                  std::uint32_t (&words)[4][lanes]) {
  for (std::size_t i = 0; i < lanes; ++i) {
    words[0][i] = static_cast<std::uint32_t>(first + i);
    words[1][i] = rest[0], words[2][i] = rest[1], words[3][i] = rest[2];
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < lanes; ++i) {
      const std::uint64_t a = multiplier_0 * words[0][i], b = multiplier_1 * words[2][i];
      words[0][i] = static_cast<std::uint32_t>(b >> 32) ^ words[1][i] ^ key[0];
      words[1][i] = static_cast<std::uint32_t>(b);
      words[2][i] = static_cast<std::uint32_t>(a >> 32) ^ words[3][i] ^ key[1];
      words[3][i] = static_cast<std::uint32_t>(a);
    }
    key = {key[0] + golden_ratio, key[1] + root_of_3};
  }
}

} // namespace

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
  constexpr std::size_t a_turn = lanes * numbers_a_block;
  std::uint32_t words[4][lanes];
  for (std::size_t done = 0; done < count;) {
    const std::uint64_t block = (first + done) / numbers_a_block;
    assert((block + lanes) >> 32 == 0);
    philox_lanes(block, rest, key_, words);
    std::uint16_t turn[a_turn];
    for (std::size_t i = 0; i < lanes; ++i)
      for (std::size_t w = 0; w < 4; ++w) {
        turn[i * numbers_a_block + 2 * w] = static_cast<std::uint16_t>(words[w][i]);
        turn[i * numbers_a_block + 2 * w + 1] = static_cast<std::uint16_t>(words[w][i] >> 16);
      }
    const std::size_t skip = (first + done) % numbers_a_block, take = std::min(a_turn - skip, count - done);
    std::copy_n(turn + skip, take, numbers + done);
    done += take;
  }
}

} // namespace tfx
