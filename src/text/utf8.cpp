#include "text/utf8.hpp"

#include "core/visible.hpp"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>

namespace tfx {

namespace {

struct Range {
  char32_t first, last;
};

template <std::size_t n>
bool in_any(const std::array<Range, n>& ranges, char32_t character) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [=](const Range& range) { return range.first <= character && character <= range.last; });
}

constexpr std::array<Range, 10> white_space{{{0x0009, 0x000D},
                                             {0x0020, 0x0020},
                                             {0x0085, 0x0085},
                                             {0x00A0, 0x00A0},
                                             {0x1680, 0x1680},
                                             {0x2000, 0x200A},
                                             {0x2028, 0x2029},
                                             {0x202F, 0x202F},
                                             {0x205F, 0x205F},
                                             {0x3000, 0x3000}}};

constexpr std::array<Range, 9> cjk{{
    {0x1100, 0x11FF},   // Hangul jamo
    {0x2E80, 0x9FFF},   // radicals, punctuation, kana, bopomofo, compatibility jamo, ideographs
    {0xA960, 0xA97F},   // Hangul jamo, extended A
    {0xAC00, 0xD7FF},   // Hangul syllables, jamo extended B
    {0xF900, 0xFAFF},   // compatibility ideographs
    {0xFE30, 0xFE4F},   // vertical forms
    {0xFF00, 0xFFEF},   // half-width and full-width forms
    {0x1AFF0, 0x1B16F}, // kana, extended and small
    {0x20000, 0x3FFFF}, // ideographs, extensions B and later
}};

/// The categories stand in groups: letters, marks, numbers, punctuation, symbols, separators, others.
bool is_between(char32_t character, utf8proc_category_t first, utf8proc_category_t last) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(character));
  return first <= category && category <= last;
}

} // namespace

CodePoint decode(std::string_view text, std::size_t position) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + position);
  const std::size_t left = std::min<std::size_t>(text.size() - position, 4);
  utf8proc_int32_t value = -1;
  const utf8proc_ssize_t length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(left), &value);
  if (length <= 0) return {U'\uFFFD', 1, false};
  return {static_cast<char32_t>(value), static_cast<std::size_t>(length), true};
}

std::optional<std::size_t> first_invalid_byte(std::string_view text) {
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint code_point = decode(text, position);
    if (!code_point.valid) return position;
    position += code_point.length;
  }
  return std::nullopt;
}

std::vector<std::string_view> graphemes(std::string_view text) {
  std::vector<std::string_view> clusters;
  std::size_t start = 0;
  utf8proc_int32_t state = 0;
  CodePoint previous;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    if (position > 0) {
      // Two printable ASCII characters never join: asking the tables for each took a twentieth of a run.
      const bool plain =
          previous.value >= ' ' && previous.value < 0x7F && next.value >= ' ' && next.value < 0x7F;
      const bool apart = plain || !previous.valid || !next.valid;
      if (apart) state = 0;
      if (apart || utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(previous.value),
                                                    static_cast<utf8proc_int32_t>(next.value), &state)) {
        clusters.push_back(text.substr(start, position - start));
        start = position;
      }
    }
    position += next.length;
    previous = next;
  }
  if (start < text.size()) clusters.push_back(text.substr(start));
  return clusters;
}

bool is_white_space(char32_t character) {
  return in_any(white_space, character);
}

bool is_letter(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO);
}

bool is_number(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_ND, UTF8PROC_CATEGORY_NO);
}

bool is_punctuation(char32_t character) {
  return is_between(character, UTF8PROC_CATEGORY_PC, UTF8PROC_CATEGORY_SO);
}

bool is_cjk(char32_t character) {
  return in_any(cjk, character);
}

std::string lower_case(std::string_view text) {
  std::string lowered;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    utf8proc_uint8_t bytes[4];
    const auto lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(next.value));
    if (next.valid)
      lowered.append(bytes, bytes + utf8proc_encode_char(lower, bytes));
    else
      lowered += text[position];
    position += next.length;
  }
  return lowered;
}

namespace {

std::string written_byte(char byte) {
  return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
}

} // namespace

std::string escape_controls(std::string_view text) {
  std::string safe;
  char32_t before = 0;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    const std::size_t end = position + next.length;
    const bool plain = next.value < 0x7F; // most of any text: no need to look ahead
    const char32_t after = !plain && end < text.size() ? decode(text, end).value : 0;
    if (next.valid && is_seen(before, next.value, after)) {
      safe += text.substr(position, next.length);
      before = next.value;
    } else {
      safe += next.valid ? written_out(next.value) : written_byte(text[position]);
      before = static_cast<unsigned char>(safe.back());
    }
    position = end;
  }
  return safe;
}

std::string escape_controls_in_lines(std::string_view text) {
  std::string safe;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    safe += (start == 0 ? "" : "\n") + escape_controls(text.substr(start, end - start));
    start = end + 1;
  }
  return safe;
}

std::string escape_invalid_bytes(std::string_view text) {
  std::string safe;
  for (std::size_t position = 0; position < text.size();) {
    const CodePoint next = decode(text, position);
    if (next.valid)
      safe += text.substr(position, next.length);
    else
      safe += written_byte(text[position]);
    position += next.length;
  }
  return safe;
}

} // namespace tfx
