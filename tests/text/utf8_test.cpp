#include "support/catch.hpp"
#include "text/utf8.hpp"

#include <random>

using namespace tfx;
using namespace std::string_literals;

namespace {

// Written from the definition of UTF-8, without a library.
std::string encoded(std::uint32_t value) {
  const auto byte = [](std::uint32_t bits) { return static_cast<char>(bits); };
  const auto tail = [&](int shift) { return byte(0x80 | (value >> shift & 0x3F)); };
  if (value < 0x80) return {byte(value)};
  if (value < 0x800) return {byte(0xC0 | value >> 6), tail(0)};
  if (value < 0x10000) return {byte(0xE0 | value >> 12), tail(6), tail(0)};
  return {byte(0xF0 | value >> 18), tail(12), tail(6), tail(0)};
}

std::string random_bytes(std::mt19937& random) {
  // Pieces that meet each other in bad ways: marks, joiners, flags, cut and overlong sequences, controls.
  static const std::vector<std::string> pieces{
      "a",    " ",        "\n",          "\x1b",   "\x7f",   "中",   "，",       "\u0301", "\u200d",
      "👩",    "🇨",        "\ufe0f",      "\u202e", "\u0085", "\xff", "\xc0\x80", "\xe4",   "\xed\xa0\x80",
      "\x80", "\xf0\x9f", "\u1100\u1161"};
  std::string text;
  for (auto n = random() % 12; n > 0; --n) text += pieces[random() % pieces.size()];
  return text;
}

} // namespace

TEST_CASE("each code point but the surrogates is valid UTF-8", "[text]") {
  std::size_t wrong = 0;
  for (std::uint32_t value = 0; value < 0x120000; ++value) {
    const std::string text = encoded(value);
    const bool allowed = value <= 0x10FFFF && !(value >= 0xD800 && value <= 0xDFFF);
    const CodePoint decoded = decode(text, 0);
    if (decoded.valid != allowed || first_invalid_byte(text).has_value() == allowed) ++wrong;
    if (allowed && (decoded.value != value || decoded.length != text.size())) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("the first invalid byte is found", "[text]") {
  const auto first_bad = [](const std::string& text) { return first_invalid_byte(text).value_or(999); };
  CHECK(first_bad("") == 999);
  CHECK(first_bad("a中é😀\0b"s) == 999);
  CHECK(first_bad("ab\xff") == 2);
  CHECK(first_bad("中\x80") == 3);               // a continuation byte alone
  CHECK(first_bad("a\xe4\xb8") == 1);            // cut off at the end
  CHECK(first_bad("a\xe4\xb8z") == 1);           // cut off by a letter
  CHECK(first_bad("\xc0\xaf") == 0);             // overlong '/'
  CHECK(first_bad("\xe0\x80\xaf") == 0);         // overlong
  CHECK(first_bad("\xf0\x80\x80\xaf") == 0);     // overlong
  CHECK(first_bad("ab\xed\xa0\x80") == 2);       // surrogate
  CHECK(first_bad("\xf4\x90\x80\x80") == 0);     // above U+10FFFF
  CHECK(first_bad("\xf8\x88\x80\x80\x80") == 0); // five bytes
}

TEST_CASE("a grapheme is what a reader sees as one character", "[text]") {
  using Clusters = std::vector<std::string_view>;
  CHECK(graphemes("").empty());
  CHECK(graphemes("e\u0301a") == Clusters{"e\u0301", "a"});
  CHECK(graphemes("我爱") == Clusters{"我", "爱"});
  CHECK(graphemes("👨‍👩‍👧🇨🇳🇫🇷") == Clusters{"👨‍👩‍👧", "🇨🇳", "🇫🇷"});
  CHECK(graphemes("👍🏽!") == Clusters{"👍🏽", "!"});
  CHECK(graphemes("a\xff\u0301\xe4") == Clusters{"a", "\xff", "\u0301", "\xe4"});
  CHECK(graphemes("🇨🇳\xff🇫🇷\xff👩") == Clusters{"🇨🇳", "\xff", "🇫🇷", "\xff", "👩"}); // no memory across it
}

TEST_CASE("controls and direction marks are written out", "[text]") {
  CHECK(escape_controls("") == "");
  CHECK(escape_controls("plain · 中文 é 😀 \\n") == "plain · 中文 é 😀 \\n");
  CHECK(escape_controls("\x1b[31mred") == "\\x1b[31mred");
  CHECK(escape_controls("a\0b\x7f"s) == "a\\x00b\\x7f");
  CHECK(escape_controls("a\tb\r\n") == "a\\tb\\r\\n");
  CHECK(escape_controls("\u009b2J") == "\\u009b2J"); // C1: CSI in one character
  CHECK(escape_controls("\u202eabc\u202c") == "\\u202eabc\\u202c");
  CHECK(escape_controls("\u2066\u2069\u2028") == "\\u2066\\u2069\\u2028");
  CHECK(escape_controls("\u200e\u200f\u061c") == "\\u200e\\u200f\\u061c");
  CHECK(escape_controls("a\xff\xe4\xb8") == "a\\xff\\xe4\\xb8");
  CHECK(escape_controls_in_lines("a\r\n\x1b\n") == "a\\r\n\\x1b\n");
  CHECK(escape_controls_in_lines("") == "");
}

TEST_CASE("characters that nobody sees are written out, so that words which differ look different",
          "[text]") {
  CHECK(escape_controls("cat\u200b") == "cat\\u200b");
  CHECK(escape_controls("\ufeffcat \u2060 c\u00adat") == "\\ufeffcat \\u2060 c\\u00adat");
  CHECK(escape_controls("a\U000E0041\U000E007F") == "a\\U000e0041\\U000e007f");
  CHECK(escape_controls("猫\u200d猫 猫\ufe00") == "猫\\u200d猫 猫\\ufe00");
  for (const std::string shown :
       {"👩\u200d🚀", "👩🏽\u200d🚀", "🏳\ufe0f\u200d🌈", "❤\ufe0f", "1\ufe0f\u20e3", "می\u200cروم"})
    CHECK(escape_controls(shown) == shown);
  CHECK(escape_controls("👩\u200d") == "👩\\u200d");
  CHECK(escape_controls("❤\ufe0f\ufe0f") == "❤\ufe0f\\ufe0f");
}

TEST_CASE("any bytes split into graphemes and escape to plain text", "[text]") {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    const std::string text = random_bytes(random);
    std::string joined;
    for (const std::string_view grapheme : graphemes(text)) joined += grapheme;
    REQUIRE(joined == text);
    const std::string safe = escape_controls(text);
    REQUIRE_FALSE(first_invalid_byte(safe));
    for (const char c : safe) REQUIRE((static_cast<unsigned char>(c) >= 0x20 && c != 0x7f));
    REQUIRE(safe.find("\u202e") == std::string::npos);
    REQUIRE(safe.find("\u0085") == std::string::npos);
    REQUIRE(escape_controls(safe) == safe);
  }
}

TEST_CASE("white space and CJK are known by their ranges", "[text]") {
  for (const char32_t c : U"\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000")
    if (c != 0) CHECK(is_white_space(c));
  for (const char32_t c : U"a中\u200b\u200d\ufeff\x1f_") CHECK_FALSE(is_white_space(c));
  for (const char32_t c : U"我の한カ，。！「Ａ𠀀々ㄅ")
    if (c != 0) CHECK(is_cjk(c));
  for (const char32_t c : U"aé,“…—😀αΩ") CHECK_FALSE(is_cjk(c));
}

TEST_CASE("letters become lower case, whatever their script; other bytes stay", "[text]") {
  CHECK(lower_case("Twenty-ONE 2") == "twenty-one 2");
  CHECK(lower_case("ÉÜΣЖ中") == "éüσж中");
  CHECK(lower_case("A\xff\xc3Z") == "a\xff\xc3z");
  CHECK(lower_case("") == "");
}
