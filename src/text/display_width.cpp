#include "text/display_width.hpp"

#include "text/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>

namespace tfx {

namespace {

constexpr char32_t emoji_presentation = 0xFE0F;

std::size_t width_of_grapheme(std::string_view grapheme) {
  std::size_t width = 0;
  for (std::size_t position = 0; position < grapheme.size();) {
    const CodePoint next = decode(grapheme, position);
    if (next.value == emoji_presentation && width > 0) return 2;
    width += static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(next.value)));
    position += next.length;
  }
  return std::min<std::size_t>(width, 2);
}

} // namespace

std::size_t display_width(std::string_view text) {
  // Most of a screen is plain ASCII; finding its graphemes took a tenth of a run.
  const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
  if (std::all_of(text.begin(), text.end(), plain)) return text.size();
  std::size_t width = 0;
  for (const std::string_view grapheme : graphemes(text)) width += width_of_grapheme(grapheme);
  return width;
}

std::string pad_left(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(columns > width ? columns - width : 0, ' ').append(text);
}

std::string pad_right(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  return std::string(text).append(columns > width ? columns - width : 0, ' ');
}

std::string shorten(std::string_view text, std::size_t columns) {
  if (display_width(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::string kept;
  std::size_t width = 1; // of the ellipsis
  for (const std::string_view grapheme : graphemes(text)) {
    width += width_of_grapheme(grapheme);
    if (width > columns) break;
    kept += grapheme;
  }
  return kept + "…";
}

} // namespace tfx
