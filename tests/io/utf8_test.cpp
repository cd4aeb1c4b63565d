#include "io/message.hpp"

#include "support/catch.hpp"

#include <cstdint>
#include <string>

using namespace tfx;

TEST_CASE("UTF-8 lengths agree with an encoder over all of Unicode", "[io]") {
  std::size_t wrong = 0;
  for (std::uint32_t point = 0; point <= 0x10FFFF; ++point) {
    std::string bytes;
    const auto tail = [&](int shift) { bytes += static_cast<char>(0x80 | (point >> shift & 0x3F)); };
    if (point < 0x80)
      bytes += static_cast<char>(point);
    else if (point < 0x800)
      bytes += static_cast<char>(0xC0 | point >> 6), tail(0);
    else if (point < 0x10000)
      bytes += static_cast<char>(0xE0 | point >> 12), tail(6), tail(0);
    else
      bytes += static_cast<char>(0xF0 | point >> 18), tail(12), tail(6), tail(0);
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    wrong += utf8_length(bytes, 0) != (surrogate ? 0 : bytes.size());
    wrong += utf8_value(bytes) != point;
    wrong += bytes.size() > 1 && utf8_length(std::string_view(bytes).substr(0, bytes.size() - 1), 0) != 0;
  }
  CHECK(wrong == 0);
  CHECK(utf8_length("a", 1) == 0);
}

TEST_CASE("a text is UTF-8 where every byte of it is", "[io]") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("嵌入 é 😀"));
  CHECK(is_utf8(std::string_view("\0", 1)));
  CHECK_FALSE(is_utf8("a\xFF"));
  CHECK_FALSE(is_utf8("嵌\xE5\x85"));
  CHECK_FALSE(is_utf8("\xC0\xAF")); // overlong
}
