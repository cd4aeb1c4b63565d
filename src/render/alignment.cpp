#include "render/alignment.hpp"

#include "render/heatmap.hpp"
#include "render/matrix.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>

namespace tfx {

namespace {

constexpr std::size_t max_head_width = 10, cell = 2; // of a heat map

/// The columns' labels from top to bottom, a character a line, above the cells of a picture.
TextBlock column_heads(const Step& step, std::size_t margin, const Style& style) {
  const std::vector<std::string>& labels = step.labels.back();
  std::vector<std::vector<std::string>> heads;
  std::size_t height = 0;
  for (const std::size_t j : columns_shown(step, style).positions) {
    const std::string text =
        j == Shown::gap ? ":" : style.shortened(escape_controls(labels[j]), max_head_width);
    heads.emplace_back();
    for (const std::string_view one : graphemes(text)) heads.back().emplace_back(one);
    height = std::max(height, heads.back().size());
  }
  TextBlock block;
  for (std::size_t line = 0; line < height; ++line) {
    std::string text(margin, ' ');
    for (const auto& head : heads) { // the last characters stand on the cells
      const std::size_t above = height - head.size();
      text += pad_right(line < above ? "" : head[line - above], cell);
    }
    block.add(text.substr(0, text.find_last_not_of(' ') + 1));
  }
  return block;
}

} // namespace

TextBlock alignment_picture(const Step& step, std::size_t slice, const std::string& title,
                            const Style& style) {
  TextBlock block;
  if (!title.empty()) block.add(style.symbols(title));
  if (style.picture == Picture::tutorial) {
    block.add(five_levels(step, slice, style));
    return block;
  }
  const TextBlock cells = heatmap(step, slice, style);
  const std::size_t columns = columns_shown(step, style).positions.size();
  block.add(column_heads(step, cells.width - 1 - cell * columns, style));
  block.add(cells);
  return block;
}

} // namespace tfx
