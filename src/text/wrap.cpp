#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <utility>

namespace tfx {

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
struct Piece {
  std::string spaces;
  std::vector<std::string_view> graphemes;
};

std::vector<Piece> pieces_of(std::string_view paragraph) {
  std::vector<Piece> pieces(1);
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

// The lines made so far; the last one is being filled.
class Lines {
public:
  explicit Lines(std::size_t columns) : columns_(columns) {}

  void start() {
    lines_.emplace_back();
    width_ = 0;
  }

  void add(const Piece& piece) {
    if (piece.graphemes.empty()) return; // spaces at the end of a paragraph
    std::size_t width = 0;
    for (const std::string_view grapheme : piece.graphemes) width += display_width(grapheme);
    const std::size_t space = display_width(piece.spaces);
    if (width_ + space + width <= columns_)
      append(piece.spaces, space);
    else if (width_ > 0)
      start();
    for (const std::string_view grapheme : piece.graphemes) {
      const std::size_t columns = display_width(grapheme);
      if (width_ > 0 && width_ + columns > columns_) start();
      append(grapheme, columns);
    }
  }

  std::vector<std::string> take() { return std::move(lines_); }

private:
  void append(std::string_view text, std::size_t width) {
    lines_.back() += text;
    width_ += width;
  }

  std::size_t columns_, width_ = 0;
  std::vector<std::string> lines_;
};

} // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  Lines lines(columns);
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find('\n');
    lines.start();
    for (const Piece& piece : pieces_of(text.substr(0, end))) lines.add(piece);
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return lines.take();
}

} // namespace tfx
