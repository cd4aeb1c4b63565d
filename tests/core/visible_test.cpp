#include "core/visible.hpp"

#include "support/catch.hpp"

using namespace tfx;

TEST_CASE("controls, line separators and changes of direction drive a terminal", "[core]") {
  for (const char32_t code_point : {0x00u, 0x1Fu, 0x7Fu, 0x80u, 0x9Fu, 0x2028u, 0x202Eu, 0x2066u, 0x2069u})
    CHECK(drives_a_terminal(code_point));
  for (const char32_t code_point : {0x20u, 0x7Eu, 0xA0u, 0x2027u, 0x202Fu, 0x2065u, 0x206Au, 0x10FFFFu})
    CHECK_FALSE(drives_a_terminal(code_point));
}

TEST_CASE("what nobody sees is not seen, whatever stands beside it", "[core]") {
  for (const char32_t hidden : {0xADu, 0x34Fu, 0x200Bu, 0x2060u, 0x2064u, 0x3164u, 0xFE00u, 0xFEFFu, 0xFFF9u,
                                0xE0001u, 0xE0041u, 0xE007Fu, 0xE0100u})
    for (const char32_t beside : {0u, 0x61u, 0x732Bu, 0x1F469u}) CHECK_FALSE(is_seen(beside, hidden, beside));
  for (const char32_t plain : {0x20u, 0x61u, 0xE9u, 0x301u, 0x732Bu, 0x1F469u, 0x3000u, 0xAC00u})
    CHECK(is_seen(0, plain, 0));
}

TEST_CASE("a joiner is part of what it joins, and seen nowhere else", "[core]") {
  constexpr char32_t woman = 0x1F469, rocket = 0x1F680, joiner = 0x200D, non_joiner = 0x200C,
                     as_emoji = 0xFE0F;
  CHECK(is_seen(woman, joiner, rocket));
  CHECK(is_seen(as_emoji, joiner, rocket)); // the rainbow flag
  CHECK(is_seen(0x6CC, non_joiner, 0x631)); // Persian
  CHECK(is_seen(0x94D, joiner, 0x937));     // Devanagari
  CHECK_FALSE(is_seen(woman, joiner, 0));
  CHECK_FALSE(is_seen(0, joiner, woman));
  CHECK_FALSE(is_seen('a', joiner, 'b'));
  CHECK_FALSE(is_seen(0x732B, joiner, 0x732B));
  CHECK_FALSE(is_seen(woman, joiner, joiner));
  CHECK_FALSE(is_seen(joiner, joiner, woman));

  CHECK(is_seen(0x2764, as_emoji, 0));
  CHECK(is_seen('1', as_emoji, 0x20E3));
  CHECK_FALSE(is_seen('1', as_emoji, '2'));
  CHECK_FALSE(is_seen(as_emoji, as_emoji, 0));
}

TEST_CASE("a code point is written out as Python writes it", "[core]") {
  CHECK(written_out('\n') == "\\n");
  CHECK(written_out(0x1B) == "\\x1b");
  CHECK(written_out(0x200B) == "\\u200b");
  CHECK(written_out(0xE0041) == "\\U000e0041");
}
