#include "render/heatmap.hpp"

#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tfx {

namespace {

constexpr std::size_t max_cells = 32;

// From white over orange to deep red: light is little, also in print.
struct Rgb {
  int r, g, b;
};

Rgb color_of(double weight) {
  constexpr std::array<Rgb, 5> stops = {
      {{255, 245, 235}, {253, 208, 162}, {253, 141, 60}, {217, 72, 1}, {127, 39, 4}}};
  const double at = std::clamp(weight, 0.0, 1.0) * (stops.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  const double part = at - static_cast<double>(low);
  const auto mix = [&](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * part)); };
  return {mix(stops[low].r, stops[low + 1].r), mix(stops[low].g, stops[low + 1].g),
          mix(stops[low].b, stops[low + 1].b)};
}

std::string cell_of(double weight, const Style& style) {
  if (std::isnan(weight)) return "??";
  const Rgb c = color_of(weight);
  switch (style.color) {
  case Color::truecolor:
    return "\x1b[48;2;" + std::to_string(c.r) + ";" + std::to_string(c.g) + ";" + std::to_string(c.b) +
           "m  \x1b[0m";
  case Color::palette: {
    const int index = 16 + 36 * (c.r * 5 / 255) + 6 * (c.g * 5 / 255) + c.b * 5 / 255;
    return "\x1b[48;5;" + std::to_string(index) + "m  \x1b[0m";
  }
  default: break;
  }
  const double clamped = std::clamp(weight, 0.0, 1.0);
  if (style.ascii) {
    const char shade = std::string(" .:-=+*#%@")[static_cast<std::size_t>(std::min(9.0, clamped * 10))];
    return std::string(2, shade);
  }
  constexpr std::array<const char*, 5> shades = {"  ", "░░", "▒▒", "▓▓", "██"};
  return shades[static_cast<std::size_t>(std::min(4.0, clamped * 5))];
}

std::string label_at(const Step& step, std::size_t from_end, std::size_t i) {
  const auto& labels = step.labels[step.labels.size() - 1 - from_end];
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
    for (std::size_t j : columns.positions)
      line += j == Shown::gap ? style.dim(" :") : cell_of(W(i, j), style);
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

} // namespace tfx
