// random/philox.inc as a CPU that is not x86-64 gets it: the branch that no other test on x86-64 runs.

#include "kernels/simd/lanes.hpp"
#include "random/stream.hpp"
#include "support/catch.hpp"

#include <array>
#include <cassert>
#include <vector>

#undef __x86_64__ // from here on this is another CPU
#define TFX_VECTOR_BYTES 16

namespace tfx::other_cpu {

// As random/stream.cpp has them.
constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
constexpr std::uint32_t golden_ratio = 0x9E3779B9, root_of_3 = 0xBB67AE85;
constexpr int rounds = 10;
constexpr std::size_t numbers_a_block = 8;

#include "kernels/simd/vector.inc"

#include "random/philox.inc"

} // namespace tfx::other_cpu

using namespace tfx;

namespace {

constexpr std::uint64_t step = 0x11DDCCBBAA, seed = 0x0123456789ABCDEF;
constexpr std::uint32_t stream = 3;

std::vector<std::uint16_t> drawn_by_other_cpu(std::uint64_t first, std::size_t count) {
  std::vector<std::uint16_t> numbers(count);
  other_cpu::draw_halves(first, count, numbers.data(), {stream, 0xDDCCBBAA, 0x11}, {0x89ABCDEF, 0x01234567});
  return numbers;
}

} // namespace

TEST_CASE("a CPU that is not x86-64 multiplies 32 bits by 32", "[random]") {
  for (const std::uint64_t word : {0x0ull, 0x1ull, 0xFFFFFFFFull, 0x89ABCDEF01234567ull, ~0ull}) {
    const auto product = other_cpu::products(other_cpu::Pairs{} + word, other_cpu::both(0xD2511F53));
    CHECK(product[0] == (word & 0xFFFFFFFF) * 0xD2511F53);
    CHECK(product[1] == product[0]);
  }
}

TEST_CASE("every CPU draws the same masks of dropout", "[random]") {
  const std::vector<std::uint16_t> drawn = drawn_by_other_cpu(0, 20'000);
  std::vector<std::uint16_t> here(drawn.size());
  RandomStream(seed, stream, step).draw(0, here.size(), here.data());
  CHECK((drawn == here)); // not 40,000 numbers on the screen
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const auto block =
        philox({static_cast<std::uint32_t>(i / 8), stream, 0xDDCCBBAA, 0x11}, {0x89ABCDEF, 0x01234567});
    REQUIRE(drawn[i] == static_cast<std::uint16_t>(block[i % 8 / 2] >> (i % 2 ? 16 : 0)));
  }
  const std::vector<std::uint16_t> later = drawn_by_other_cpu(601, 300);
  CHECK(std::equal(later.begin(), later.end(), drawn.begin() + 601));
}
