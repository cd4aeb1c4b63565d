#include "core/memory.hpp"

#include "core/error.hpp"
#include "support/address_space.hpp"
#include "support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace tfx;

TEST_CASE("of a limited address space, what the process has taken is not available", "[core][memory]") {
  constexpr std::size_t left = 64 << 20;
  const std::size_t available = [] {
    const AddressSpaceLimit limit(left);
    return available_memory();
  }();
  CHECK(available > left / 2);
  const std::size_t twice = [] {
    const AddressSpaceLimit limit(2 * left);
    return available_memory();
  }();
  CHECK(twice - available <= left);
  CHECK(twice - available > left / 2);
}

#ifdef NDEBUG // a sanitizer has a heap of its own
TEST_CASE("what the process has freed and keeps is available", "[core][memory]") {
  constexpr std::size_t left = 64 << 20, block = 64 << 10, count = 256;
  std::vector<std::vector<char>> freed, pins; // malloc gives back only what nothing stands behind
  for (std::size_t i = 0; i < count; ++i) freed.emplace_back(block), pins.emplace_back(block);
  freed.clear();
  const std::size_t available = [] {
    const AddressSpaceLimit limit(left);
    return available_memory();
  }();
  CHECK(available > left + count * block * 3 / 4);
}
#endif

TEST_CASE("what fits in memory is no error", "[core][memory]") {
  CHECK_NOTHROW(require_memory(1000, Message::given("little")));
}

TEST_CASE("a refusal says how much is needed, however much it is", "[core][memory]") {
  for (const auto& [bytes, text] : {std::pair{1e15, "1 PB"}, std::pair{1.28e29, "1.28e+05 YB"}}) {
    try {
      require_memory(bytes, said("a run of this size"));
      FAIL("nothing was thrown");
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::no_memory);
      CHECK(std::string(error.what())
                .starts_with("a run of this size needs about " + std::string(text) + " of memory; "));
      CHECK(error.hint().in_english() == "use smaller sizes");
    }
  }
}
