#include "text/display_width.hpp"

#include "text/utf8.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <utility>

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

namespace {

// Marks that must not begin a line: closing ones, small kana, repetition and length marks. Straight quotes
// open and close, so they stand in both lists and stay with both neighbours.
constexpr std::u32string_view no_line_start = U"\"'!%),.:;?]}°·’”–—…‥℃"
                                              U"、。々〉》」』】〕〗〙〛〞〟〜〻ゝゞヽヾー・゛゜"
                                              U"ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"
                                              U"！％），．：；？］｝｠｡｣､･～";
constexpr std::u32string_view no_line_end = U"\"'([{‘“〈《「『【〔〖〘〚〝（［｛｟｢＄￥";

bool is_in(std::u32string_view set, char32_t character) {
  return set.find(character) != std::u32string_view::npos;
}

bool is_break_space(std::string_view grapheme) {
  return grapheme == " " || grapheme == "\t" || grapheme == "\u3000";
}

// May a line end between these neighbours, neither of them a space?
bool may_break_between(std::string_view left, std::string_view right) {
  const char32_t before = decode(left, 0).value, after = decode(right, 0).value;
  if (is_in(no_line_end, before) || is_in(no_line_start, after)) return false;
  return is_cjk(before) || is_cjk(after);
}

// A run of graphemes that stay on one line, and the spaces before it.
struct TextPiece {
  std::string spaces;
  std::vector<std::string_view> graphemes;
};

std::vector<TextPiece> pieces_of(std::string_view paragraph) {
  std::vector<TextPiece> pieces(1);
  for (const std::string_view grapheme : graphemes(paragraph)) {
    const std::vector<std::string_view>& run = pieces.back().graphemes;
    if (is_break_space(grapheme)) {
      if (!run.empty()) pieces.emplace_back();
      pieces.back().spaces += grapheme;
    } else {
      if (!run.empty() && may_break_between(run.back(), grapheme)) pieces.emplace_back();
      pieces.back().graphemes.push_back(grapheme);
    }
  }
  return pieces;
}

std::size_t columns_of(const TextPiece& piece) {
  std::size_t width = 0;
  for (const std::string_view grapheme : piece.graphemes) width += display_width(grapheme);
  return width;
}

// The lines of one paragraph.
class LineBreaker {
public:
  explicit LineBreaker(std::size_t columns) : columns_(columns), lines_(1) {}

  void add(const TextPiece& piece) {
    if (piece.graphemes.empty()) return; // spaces at the end of a paragraph
    const std::size_t width = columns_of(piece), space = display_width(piece.spaces);
    if (lines_.back().width + space + width <= columns_) return append(piece, piece.spaces, width + space);
    if (lines_.back().width > 0) lines_.emplace_back();
    if (width <= columns_) return append(piece, {}, width);
    for (const std::string_view grapheme : piece.graphemes) { // wider than a line
      const std::size_t one = display_width(grapheme);
      if (lines_.back().width > 0 && lines_.back().width + one > columns_) lines_.emplace_back();
      lines_.back().text += grapheme;
      lines_.back().width += one;
    }
  }

  // A last line of one character, with or without marks, takes what stands before it down with it.
  void keep_company() {
    if (lines_.size() < 2) return;
    Line &last = lines_.back(), &before = lines_[lines_.size() - 2];
    if (last.pieces.size() != 1 || !is_one_character(last.pieces[0])) return;
    constexpr std::size_t enough = 4; // pieces: a shorter line would only move the hole up
    if (before.pieces.size() < enough) return;
    const TextPiece moved = before.pieces.back();
    const std::string& gap = last.pieces[0].spaces;
    const std::size_t width = columns_of(moved) + display_width(gap) + last.width;
    if (width > columns_) return;
    before.text.resize(before.text.size() - size_of(moved) - moved.spaces.size());
    before.pieces.pop_back();
    last.text = joined(moved) + gap + last.text;
    last.width = width;
  }

  void append_to(std::vector<std::string>& all) {
    for (Line& line : lines_) all.push_back(std::move(line.text));
  }

private:
  struct Line {
    std::string text;
    std::size_t width = 0;
    std::vector<TextPiece> pieces; ///< but for those wider than a line
  };

  static std::string joined(const TextPiece& piece) {
    std::string text;
    for (const std::string_view grapheme : piece.graphemes) text += grapheme;
    return text;
  }
  static std::size_t size_of(const TextPiece& piece) { return joined(piece).size(); }

  static bool is_one_character(const TextPiece& piece) {
    return std::count_if(piece.graphemes.begin(), piece.graphemes.end(), [](std::string_view grapheme) {
             const char32_t character = decode(grapheme, 0).value;
             return !is_in(no_line_start, character) && !is_in(no_line_end, character);
           }) <= 1;
  }

  void append(const TextPiece& piece, const std::string& spaces, std::size_t width) {
    Line& line = lines_.back();
    line.text += spaces + joined(piece);
    line.width += width;
    line.pieces.push_back(piece);
  }

  std::size_t columns_;
  std::vector<Line> lines_;
};

} // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> all;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find('\n');
    LineBreaker lines(columns);
    for (const TextPiece& piece : pieces_of(text.substr(0, end))) lines.add(piece);
    lines.keep_company();
    lines.append_to(all);
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return all;
}

} // namespace tfx
