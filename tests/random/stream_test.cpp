#include "random/stream.hpp"

#include "support/catch.hpp"

#include <set>
#include <string>
#include <vector>

using namespace tfx;

TEST_CASE("Philox gives the published test vectors", "[random]") {
  // kat_vectors of Random123, "philox4x32 10"
  using Words = std::array<std::uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("a number depends on its place alone, not on what was asked before", "[random]") {
  RandomStream forwards(7, 3, 5), backwards(7, 3, 5);
  std::vector<double> numbers(1001);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = forwards.uniform(i);
  for (std::size_t i = numbers.size(); i-- > 0;) CHECK(backwards.uniform(i) == numbers[i]);
  CHECK(RandomStream(7, 3, 5).uniform(1000) == numbers[1000]);
}

TEST_CASE("a place is seed, stream, step and index, each whole", "[random]") {
  const auto word = [](std::uint32_t n) { return n * 0x1p-32; };
  // index 4·block + w is word w of the block that (block, stream, step low, step high) gives
  const auto block = philox({9, 3, 0xDDCCBBAA, 0x11}, {0x89ABCDEF, 0x01234567});
  RandomStream stream(0x0123456789ABCDEF, 3, 0x11DDCCBBAA);
  for (std::size_t w = 0; w < 4; ++w) CHECK(stream.uniform(36 + w) == word(block[w]));
}

TEST_CASE("short numbers are the halves of a block's words, wherever a run begins", "[random]") {
  std::vector<std::uint16_t> all(1000), run(300);
  const RandomStream stream(0x0123456789ABCDEF, 3, 0x11DDCCBBAA);
  stream.draw(0, all.size(), all.data());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto block =
        philox({static_cast<std::uint32_t>(i / 8), 3, 0xDDCCBBAA, 0x11}, {0x89ABCDEF, 0x01234567});
    REQUIRE(all[i] == static_cast<std::uint16_t>(block[i % 8 / 2] >> (i % 2 ? 16 : 0)));
  }
  for (const std::size_t first : {0, 1, 7, 8, 63, 64, 65, 600})
    for (const std::size_t count : {0, 1, 8, 63, 64, 65, 300}) {
      stream.draw(first, count, run.data());
      CHECK(std::equal(run.begin(), run.begin() + count, all.begin() + first));
    }
}

TEST_CASE("numbers lie in [0, 1) and are spread evenly", "[random]") {
  RandomStream stream(1, 2, 3);
  std::array<int, 10> counts{};
  constexpr int n = 100'000;
  for (int i = 0; i < n; ++i) {
    const double number = stream.uniform(static_cast<std::uint64_t>(i));
    REQUIRE((number >= 0 && number < 1));
    ++counts[static_cast<std::size_t>(number * 10)];
  }
  double chi_squared = 0;
  for (const int count : counts) chi_squared += (count - n / 10.0) * (count - n / 10.0) / (n / 10.0);
  CHECK(chi_squared < 27.9); // 9 degrees of freedom, one in a thousand
}

TEST_CASE("the places of dropout in a deep model have different streams", "[random]") {
  CHECK(stream_number("") == 0x811C9DC5); // FNV-1a's published values
  CHECK(stream_number("foobar") == 0xBF9CF968);
  std::set<std::uint32_t> streams;
  std::size_t names = 0;
  const auto take = [&](const std::string& name) { streams.insert(stream_number(name)), ++names; };
  take("src_embed"), take("tgt_embed");
  for (const std::string side : {"encoder", "decoder"})
    for (int layer = 0; layer < 96; ++layer)
      for (const char* place :
           {"self_attn", "src_attn", "feed_forward", "sublayer.0", "sublayer.1", "sublayer.2"})
        take(side + ".layers." + std::to_string(layer) + "." + place);
  CHECK(streams.size() == names);
}
