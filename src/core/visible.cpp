#include "core/visible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace tfx {

namespace {

struct CodeRange {
  char32_t first, last;
};

template <std::size_t n>
bool is_in(const CodeRange (&ranges)[n], char32_t code_point) {
  return std::ranges::any_of(
      ranges, [=](const CodeRange& range) { return range.first <= code_point && code_point <= range.last; });
}

constexpr CodeRange obeyed[] = {
    {0x00, 0x1F},     // C0
    {0x7F, 0x9F},     // DEL, C1
    {0x061C, 0x061C}, // Arabic letter mark
    {0x200E, 0x200F}, // left-to-right and right-to-left marks
    {0x2028, 0x202E}, // line and paragraph separator, bidirectional embeddings and overrides
    {0x2066, 0x2069}, // bidirectional isolates
};

/// Unicode's Default_Ignorable_Code_Point, and the marks of annotations.
constexpr CodeRange unseen[] = {
    {0x00AD, 0x00AD},   // soft hyphen
    {0x034F, 0x034F},   // combining grapheme joiner
    {0x115F, 0x1160},   // Hangul fillers
    {0x17B4, 0x17B5},   // Khmer vowels that are not written
    {0x180B, 0x180F},   // Mongolian variants and separator
    {0x200B, 0x200D},   // blank without width, non-joiner, joiner
    {0x2060, 0x206F},   // word joiner, operators that are not written, digits' shapes
    {0x3164, 0x3164},   // Hangul filler
    {0xFE00, 0xFE0F},   // variation selectors
    {0xFEFF, 0xFEFF},   // byte order mark
    {0xFFA0, 0xFFA0},   // half-width Hangul filler
    {0xFFF0, 0xFFFB},   // interlinear annotation
    {0x1BCA0, 0x1BCA3}, // shorthand
    {0x1D173, 0x1D17A}, // music
    {0xE0000, 0xE0FFF}, // tags, further variation selectors
};

/// Emoji, and scripts whose letters take another form beside a joiner or a non-joiner.
constexpr CodeRange joining[] = {
    {0x0620, 0x08FF},   // Arabic, Syriac, N'Ko
    {0x0900, 0x0DFF},   // the scripts of India
    {0x1780, 0x18AF},   // Khmer, Mongolian
    {0x2190, 0x2BFF},   // ♂, ⚕, ❤, ➡
    {0x1F000, 0x1FAFF}, // emoji
};

constexpr CodeRange with_two_forms[] = {
    {0xA9, 0xA9},       {0xAE, 0xAE},     // ©, ®
    {0x203C, 0x203C},   {0x2049, 0x2049}, // ‼, ⁉
    {0x2122, 0x2BFF},                     // ™, arrows, ❤
    {0x3030, 0x303D},   {0x3297, 0x3299}, // ㊗, ㊙
    {0x1F000, 0x1FAFF},
};

constexpr char32_t non_joiner = 0x200C, joiner = 0x200D, as_text = 0xFE0E, as_emoji = 0xFE0F, keycap = 0x20E3;

bool is_on_a_keycap(char32_t character) {
  return (character >= '0' && character <= '9') || character == '#' || character == '*';
}

} // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

bool drives_a_terminal(char32_t code_point) {
  return is_in(obeyed, code_point);
}

bool is_seen(char32_t before, char32_t character, char32_t after) {
  if (character >= ' ' && character < 0x7F) return true; // most of any text
  if (drives_a_terminal(character)) return false;
  if (!is_in(unseen, character)) return true;
  if (character == joiner || character == non_joiner)
    return (before == as_emoji || (is_in(joining, before) && !is_in(unseen, before))) &&
           is_in(joining, after) && !is_in(unseen, after);
  if (character == as_emoji || character == as_text)
    return is_in(with_two_forms, before) || (is_on_a_keycap(before) && after == keycap);
  return false;
}

std::string written_out(char32_t code_point) {
  switch (code_point) {
  case '\n': return "\\n";
  case '\t': return "\\t";
  case '\r': return "\\r";
  }
  const auto code = static_cast<std::uint32_t>(code_point);
  return code < 0x80      ? fmt::format("\\x{:02x}", code)
         : code < 0x10000 ? fmt::format("\\u{:04x}", code)
                          : fmt::format("\\U{:08x}", code);
}

} // namespace tfx
