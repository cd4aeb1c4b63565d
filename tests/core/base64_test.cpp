#include "core/base64.hpp"

#include "support/catch.hpp"

#include <string_view>
#include <vector>

using namespace tfx;

namespace {

std::string encoded(std::string_view text) {
  return base64(std::vector<std::uint8_t>(text.begin(), text.end()));
}

} // namespace

// RFC 4648, section 10.
TEST_CASE("base64 gives the examples of its standard", "[core][base64]") {
  CHECK(encoded("") == "");
  CHECK(encoded("f") == "Zg==");
  CHECK(encoded("fo") == "Zm8=");
  CHECK(encoded("foo") == "Zm9v");
  CHECK(encoded("foob") == "Zm9vYg==");
  CHECK(encoded("fooba") == "Zm9vYmE=");
  CHECK(encoded("foobar") == "Zm9vYmFy");
}

TEST_CASE("base64 has a letter for every six bits", "[core][base64]") {
  CHECK(base64(std::vector<std::uint8_t>{0xFB, 0xEF, 0xBE}) == "++++");
  CHECK(base64(std::vector<std::uint8_t>{0xFF, 0xFF, 0xFF}) == "////");
  CHECK(base64(std::vector<std::uint8_t>{0x00, 0x10, 0x83}) == "ABCD");
}
