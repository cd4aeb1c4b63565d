#include "render/charts.hpp"

#include "render/style.hpp"
#include "text/display_width.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tfx {

std::vector<std::string> bars(const std::vector<Bar>& all, const Style& style) {
  std::size_t names = 0, texts = 0;
  double low = 0, high = 0;
  for (const Bar& bar : all) {
    names = std::max(names, display_width(style.symbols(bar.name)));
    texts = std::max(texts, display_width(style.symbols(bar.text)));
    if (!(bar.value > 0)) continue;
    low = low > 0 ? std::min(low, bar.value) : bar.value;
    high = std::max(high, bar.value);
  }
  constexpr std::size_t gaps = 4, max_bar = 40;
  const std::size_t taken = names + texts + gaps;
  const std::size_t room = std::clamp<std::size_t>(style.width > taken ? style.width - taken : 1, 1, max_bar);
  std::vector<std::string> lines;
  for (const Bar& bar : all) {
    std::size_t length = 0;
    if (bar.value > 0) {
      const double share = high > low ? std::log(bar.value / low) / std::log(high / low) : 1;
      length = 1 + static_cast<std::size_t>(std::lround(share * static_cast<double>(room - 1)));
    }
    std::string drawn;
    for (std::size_t i = 0; i < length; ++i) drawn += style.ascii ? "#" : "█";
    lines.push_back(pad_right(style.symbols(bar.name), names) + "  " + drawn + (length ? "  " : "") +
                    style.symbols(bar.text));
  }
  return lines;
}

namespace {

/// The mean of the finite values on each of `columns` equal pieces; NaN where a piece has none.
std::vector<double> means(const std::vector<double>& values, std::size_t columns) {
  std::vector<double> sums(columns, 0), counts(columns, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const std::size_t column = i * columns / values.size();
    sums[column] += values[i], counts[column] += 1;
  }
  for (std::size_t j = 0; j < columns; ++j) sums[j] = counts[j] > 0 ? sums[j] / counts[j] : std::nan("");
  return sums;
}

std::string utf8_of_braille(unsigned dots) {
  // U+2800 + dots, three bytes.
  return {static_cast<char>(0xE2), static_cast<char>(0xA0 + (dots >> 6)),
          static_cast<char>(0x80 + (dots & 0x3F))};
}

/// Dots of a cell of 2 × 4, from the top: the bit of (column, row).
constexpr unsigned bit_of[2][4] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

/// A drawing of dots, `per_x` × `per_y` a character.
class Dots {
public:
  Dots(std::size_t columns, std::size_t rows, bool ascii)
      : per_x_(ascii ? 1 : 2),
        per_y_(ascii ? 1 : 4),
        columns_(columns),
        rows_(rows),
        cells_(columns * rows, 0) {}

  std::size_t width() const { return columns_ * per_x_; }
  std::size_t height() const { return rows_ * per_y_; }

  /// Dots from y to y′, counted from the top.
  void line(std::size_t x, std::size_t from, std::size_t to) {
    for (std::size_t y = std::min(from, to); y <= std::max(from, to); ++y)
      cells_[y / per_y_ * columns_ + x / per_x_] |= bit_of[x % per_x_][y % per_y_];
  }

  std::string row(std::size_t r) const {
    std::string text;
    for (std::size_t c = 0; c < columns_; ++c) {
      const unsigned dots = cells_[r * columns_ + c];
      text += dots == 0 ? " " : per_x_ == 1 ? "*" : utf8_of_braille(dots);
    }
    return text;
  }

private:
  std::size_t per_x_, per_y_, columns_, rows_;
  std::vector<unsigned> cells_;
};

} // namespace

bool is_logarithmic(const std::vector<double>& values) {
  constexpr double many_times = 50;
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double value : values)
    if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  return low > 0 && high > many_times * low;
}

TextBlock curve(const std::vector<double>& values, std::size_t first, std::size_t width, std::size_t height,
                const Style& style) {
  std::vector<double> finite;
  for (const double value : values)
    if (std::isfinite(value)) finite.push_back(value);
  if (finite.empty()) return {};
  constexpr int digits = 3;
  const double low = *std::min_element(finite.begin(), finite.end()),
               high = *std::max_element(finite.begin(), finite.end());
  const std::string top = screen_number(high, digits), bottom = screen_number(low, digits);
  const std::size_t margin = std::max(top.size(), bottom.size()) + 1; // and the axis
  const std::size_t columns = std::max<std::size_t>(width > margin + 1 ? width - margin - 1 : 1, 1);

  Dots dots(columns, height, style.ascii);
  const std::vector<double> y = means(values, std::min(dots.width(), values.size()));
  const bool logarithmic = is_logarithmic(finite);
  const auto place = [&](double value) { return logarithmic ? std::log(value) : value; };
  const auto level = [&](double value) {
    const double share = high > low ? (place(high) - place(value)) / (place(high) - place(low)) : 0.5;
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(dots.height() - 1)));
  };
  const double* before = nullptr;
  for (std::size_t x = 0; x < dots.width(); ++x) {
    const double& value = y[x * y.size() / dots.width()];
    if (std::isnan(value)) continue;
    dots.line(x, before ? level(*before) : level(value), level(value));
    before = &value;
  }

  TextBlock block;
  const std::string axis = style.ascii ? "|" : "│";
  for (std::size_t r = 0; r < height; ++r) {
    const std::string label = r == 0 ? top : r + 1 == height ? bottom : "";
    block.add(pad_left(label, margin - 1) + " " + axis + dots.row(r), margin + 1 + columns);
  }
  const std::string left = std::to_string(first), right = std::to_string(first + values.size() - 1);
  const std::size_t room = columns > left.size() + right.size() ? columns - left.size() - right.size() : 1;
  block.add(std::string(margin + 1, ' ') + left + std::string(room, ' ') + right,
            margin + 1 + left.size() + room + right.size());
  return block;
}

} // namespace tfx
