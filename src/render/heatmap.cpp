#include "render/heatmap.hpp"

#include "render/matrix.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace tfx {

namespace {

constexpr std::size_t max_cells = 32;

struct Rgb {
  int r, g, b;
};

using Ramp = std::array<Rgb, 5>;

// From the ground's side of the scale over orange: little stands out little, on a dark terminal and on a
// light one.
constexpr Ramp on_dark = {{{24, 18, 14}, {88, 38, 8}, {176, 78, 14}, {247, 148, 40}, {255, 236, 200}}},
               on_light = {{{255, 247, 240}, {253, 208, 162}, {253, 141, 60}, {217, 72, 1}, {127, 39, 4}}};

Rgb color_of(double part_of_full, const Ramp& ramp) {
  const double at = part_of_full * static_cast<double>(ramp.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), ramp.size() - 2);
  const double part = at - static_cast<double>(low);
  const auto mix = [&](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * part)); };
  return {mix(ramp[low].r, ramp[low + 1].r), mix(ramp[low].g, ramp[low + 1].g),
          mix(ramp[low].b, ramp[low + 1].b)};
}

// The nearest of the six levels that a terminal of 256 colours has of red, green and blue each.
int level_of(int channel) {
  constexpr std::array<int, 6> levels = {0, 95, 135, 175, 215, 255};
  const auto nearer = [&](int a, int b) { return std::abs(a - channel) < std::abs(b - channel); };
  return static_cast<int>(std::ranges::min_element(levels, nearer) - levels.begin());
}

// `largest`: of the row.
std::string cell_of(double weight, double largest, const Style& style) {
  if (std::isnan(weight)) return "??";
  if (weight == 0) return style.dim(blocked_cell);
  const double part_of_full = std::clamp(weight / largest, 0.0, 1.0);
  const Rgb c = color_of(part_of_full, style.ground == Ground::light ? on_light : on_dark);
  switch (style.color) {
  case Color::truecolor:
    return "\x1b[48;2;" + std::to_string(c.r) + ";" + std::to_string(c.g) + ";" + std::to_string(c.b) +
           "m  \x1b[0m";
  case Color::palette: {
    const int index = 16 + 36 * level_of(c.r) + 6 * level_of(c.g) + level_of(c.b);
    return "\x1b[48;5;" + std::to_string(index) + "m  \x1b[0m";
  }
  default: break;
  }
  const auto nearest_of = [&](std::size_t shades) {
    return static_cast<std::size_t>(std::lround(part_of_full * static_cast<double>(shades - 1)));
  };
  constexpr std::string_view signs = " .:=+*#%@";
  constexpr std::array<const char*, 5> shades = {"  ", "░░", "▒▒", "▓▓", "██"};
  return style.ascii ? std::string(2, signs[nearest_of(signs.size())]) : shades[nearest_of(shades.size())];
}

double largest_of_row(const arma::mat& W, std::size_t i) {
  double largest = 0;
  for (std::size_t j = 0; j < W.n_cols; ++j)
    if (std::isfinite(W(i, j))) largest = std::max(largest, W(i, j));
  return largest > 0 ? largest : 1;
}

std::string label_at(const Step& step, std::size_t from_end, std::size_t i) {
  static const std::vector<std::string> none;
  const auto& labels = step.labels.size() > from_end ? step.labels[step.labels.size() - 1 - from_end] : none;
  return labels.empty() ? std::to_string(i) : escape_controls(labels[i]);
}

Shown rows_shown(const Step& step) {
  const Shape& shape = step.value.shape;
  return shown_of(shape[shape.size() - 2], max_cells, (max_cells - 1) / 2);
}

std::size_t row_label_width(const Step& step, const Style& style) {
  std::size_t width = 0;
  for (const std::size_t i : rows_shown(step).positions)
    if (i != Shown::gap) width = std::max(width, display_width(style.shortened(label_at(step, 1, i), 12)));
  return width;
}

} // namespace

Shown columns_shown(const Step& step, const Style& style) {
  const std::size_t margin = row_label_width(step, style) + 3; // the label, a blank and two edges
  const std::size_t room = (std::max(style.width, margin) - margin) / 2;
  const std::size_t max_columns = std::clamp<std::size_t>(room, 4, max_cells);
  return shown_of(step.value.shape.back(), max_columns, (max_columns - 1) / 2);
}

TextBlock heatmap(const Step& step, std::size_t slice, const Style& style) {
  const arma::mat W = matrix(step.value, slice);
  const Shown rows = rows_shown(step), columns = columns_shown(step, style);
  const std::size_t label_width = row_label_width(step, style);
  TextBlock block;
  for (std::size_t i : rows.positions) {
    if (i == Shown::gap) {
      block.add(style.symbols("…"));
      continue;
    }
    const std::string label = pad_right(style.shortened(label_at(step, 1, i), 12), label_width);
    std::string line = style.dim(label) + " " + style.symbols("│");
    const double largest = largest_of_row(W, i);
    for (std::size_t j : columns.positions)
      line += j == Shown::gap ? style.dim(" :") : cell_of(W(i, j), largest, style);
    block.add(line + style.symbols("│"), label_width + 3 + 2 * columns.positions.size());
  }
  return block;
}

TextBlock five_levels(const Step& step, std::size_t slice, const Style& style) {
  const arma::mat W = matrix(step.value, slice);
  constexpr std::size_t widest = 8, narrowest = 4, word = 5;
  // Eight columns a cell as in the tutorial, fewer where the words would not fit beside each other.
  const std::size_t cell = std::clamp<std::size_t>((style.width - 2) / (W.n_cols + 1), narrowest, widest);
  const std::size_t room = std::max<std::size_t>((style.width - 2) / cell, 2) - 1;
  const std::size_t columns = std::min<std::size_t>(W.n_cols, room);
  const auto label = [&](std::size_t from_end, std::size_t i) {
    return pad_left(style.shortened(label_at(step, from_end, i), std::min(word, cell - 1)), cell);
  };
  TextBlock block;
  std::string header = std::string(cell + 2, ' ');
  for (std::size_t j = 0; j < columns; ++j) header += label(0, j);
  block.add(header);
  block.add(std::string(display_width(header), '-'));
  for (std::size_t i = 0; i < W.n_rows; ++i) {
    std::string line = label(1, i) + " |";
    for (std::size_t j = 0; j < columns; ++j) {
      const double w = W(i, j);
      line += pad_left(w > 0.3 ? "###" : w > 0.2 ? "##" : w > 0.1 ? "#" : w > 0.05 ? "." : "", cell);
    }
    block.add(line);
  }
  return block;
}

namespace {

constexpr std::size_t max_head_width = 10, cell = 2; // of a heat map

/// The columns' labels from top to bottom, a character a line, above the cells of a picture.
TextBlock column_heads(const Step& step, std::size_t margin, const Style& style) {
  std::vector<std::vector<std::string>> heads;
  std::size_t height = 0;
  for (const std::size_t j : columns_shown(step, style).positions) {
    const std::string text = j == Shown::gap ? ":" : style.shortened(label_at(step, 0, j), max_head_width);
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
