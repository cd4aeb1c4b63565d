#include "render/html/charts.hpp"

#include "core/number.hpp"
#include "render/html/cell_book.hpp"
#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

constexpr std::size_t max_shown_cells = 32, max_key_width = 12;
constexpr double letter = 7.3; ///< width of a column of text, in units of the picture

/// Where the colour is light, middle or dark under the text: the document's style keeps each readable on both
/// grounds.
const char* shade_of(double weight) {
  return weight < 0.59 ? "low" : weight < 0.86 ? "middle" : "high";
}

class HeatMap {
public:
  HeatMap(const Step& step, std::size_t slice, const Style& style)
      : step_(step),
        slice_(slice),
        style_(style),
        W_(slice_of(step.value, slice)),
        rows_(shown_of(W_.n_rows, max_shown_cells, max_shown_cells / 2 - 1)),
        columns_(shown_of(W_.n_cols, max_shown_cells, max_shown_cells / 2 - 1)) {
    roomy_ = columns_.positions.size() <= 16;
    width_ = roomy_ ? 42 : 18, height_ = roomy_ ? 28 : 18;
    for (const std::size_t i : rows_.positions) left_ = std::max(left_, width_of(label(1, i)));
    double longest = 0;
    for (const std::size_t j : columns_.positions) longest = std::max(longest, width_of(label(0, j)));
    slanted_ = longest > width_ - 6;
    top_ = slanted_ ? 0.75 * longest + 12 : 18;
    // The last slanted name reaches over the picture's edge.
    overhang_ = slanted_ ? 0.75 * longest : 0;
    left_ += 8;
  }

  Html drawn(const Attributes& attributes) const {
    const double w = left_ + width_ * static_cast<double>(columns_.positions.size()) + 1,
                 h = top_ + height_ * static_cast<double>(rows_.positions.size()) + 1;
    Html all = names();
    for (std::size_t r = 0; r < rows_.positions.size(); ++r)
      for (std::size_t c = 0; c < columns_.positions.size(); ++c) all += cell(r, c);
    Attributes own = attributes;
    own.emplace_back("width", number(w + overhang_)), own.emplace_back("height", number(h));
    own.emplace_back("viewBox", fmt::format("0 0 {} {}", number(w + overhang_), number(h)));
    return element("svg", own, all);
  }

private:
  static double width_of(const std::string& text) {
    return letter * static_cast<double>(display_width(text));
  }
  static std::string number(double value) { return format_number(value, 1); }

  std::string label(std::size_t from_end, std::size_t i) const {
    if (i == Shown::gap) return "…";
    const std::vector<std::string> names = axis_labels(step_, from_end);
    return names.empty() ? std::to_string(i) : style_.shortened(escape_controls(names[i]), max_key_width);
  }

  Html names() const {
    Html all;
    for (std::size_t r = 0; r < rows_.positions.size(); ++r)
      all += element("text",
                     {{"class", "row"},
                      {"x", number(left_ - 6)},
                      {"y", number(top_ + height_ * (static_cast<double>(r) + 0.5))}},
                     Html::text(label(1, rows_.positions[r])));
    for (std::size_t c = 0; c < columns_.positions.size(); ++c) {
      const double x = left_ + width_ * (static_cast<double>(c) + 0.5), y = top_ - 6;
      Attributes at{{"class", slanted_ ? "slanted" : "column"}, {"x", number(x)}, {"y", number(y)}};
      if (slanted_) at.emplace_back("transform", fmt::format("rotate(-45 {} {})", number(x), number(y)));
      all += element("text", at, Html::text(label(0, columns_.positions[c])));
    }
    return all;
  }

  Html cell(std::size_t r, std::size_t c) const {
    const std::size_t i = rows_.positions[r], j = columns_.positions[c];
    if (i == Shown::gap || j == Shown::gap) return {};
    const double weight = W_(i, j), x = left_ + width_ * static_cast<double>(c),
                 y = top_ + height_ * static_cast<double>(r);
    const std::string value = screen_number(weight, style_.precision);
    Html content = element("title", label(1, i) + " → " + label(0, j) + ": " + value);
    Attributes square{
        {"x", number(x)}, {"y", number(y)}, {"width", number(width_ - 1)}, {"height", number(height_ - 1)}};
    if (std::isfinite(weight))
      square.emplace_back("fill-opacity", fmt::format("{:.3f}", std::clamp(weight, 0.0, 1.0)));
    content += element("rect", square, Html());
    if (roomy_)
      content += element("text", {{"x", number(x + width_ / 2)}, {"y", number(y + height_ / 2)}},
                         Html::text(std::isfinite(weight) ? fmt::format("{:.2f}", weight) : value));
    return element(
        "g", {{"class", shade_of(weight)}, {"data-i", std::to_string(flat_index(step_.value, slice_, i, j))}},
        content);
  }

  const Step& step_;
  std::size_t slice_;
  const Style& style_;
  arma::mat W_;
  Shown rows_, columns_;
  bool roomy_ = false, slanted_ = false;
  double left_ = 0, top_ = 0, width_ = 0, height_ = 0, overhang_ = 0;
};

} // namespace

Html heat_map(const Step& step, std::size_t slice, const Style& style, CellBook* book) {
  const std::string name = slice_title(step, slice);
  Attributes attributes{{"class", "heat"}, {"role", "group"}, {"aria-label", name}};
  if (book) attributes.emplace_back("data-t", std::to_string(book->number_of(step)));
  return element("div", {{"class", "box"}}, HeatMap(step, slice, style).drawn(attributes));
}

namespace {

constexpr double width = 640, height = 240, left = 58, right = 12, top = 12, bottom = 28;
constexpr std::size_t max_points = 120;
constexpr double wide_range = 50; ///< from here on in logarithms

struct Point {
  std::size_t first, last; ///< positions
  double value;
};

/// The means of the finite values on each of at most `max_points` equal pieces.
std::vector<Point> points_of(const std::vector<double>& values, std::size_t first) {
  const std::size_t pieces = std::min(max_points, values.size());
  std::vector<Point> points;
  for (std::size_t p = 0; p < pieces; ++p) {
    const std::size_t begin = p * values.size() / pieces, end = (p + 1) * values.size() / pieces;
    double sum = 0, count = 0;
    for (std::size_t i = begin; i < end; ++i)
      if (std::isfinite(values[i])) sum += values[i], count += 1;
    if (count > 0) points.push_back({begin + first, end + first - 1, sum / count});
  }
  return points;
}

std::string number(double value) {
  return format_number(value, 1);
}

class Chart {
public:
  Chart(const std::vector<Point>& points, std::size_t first, std::size_t last, const Style& style)
      : points_(points), first_(first), last_(last), style_(style) {
    const auto [low, high] = std::ranges::minmax_element(points, {}, &Point::value);
    low_ = low->value, high_ = high->value;
    logarithmic_ = low_ > 0 && high_ > wide_range * low_;
  }

  Html drawn(const std::string& name) const {
    std::string line;
    for (const Point& point : points_)
      line +=
          fmt::format("{}{},{}", line.empty() ? "" : " ", number(x(middle(point))), number(y(point.value)));
    Html all = axes() + element("polyline", {{"points", line}}, Html());
    const double piece = (width - left - right) / static_cast<double>(points_.size());
    for (const Point& point : points_) {
      const double at = x(middle(point));
      const std::string where = point.first == point.last ? std::to_string(point.first)
                                                          : fmt::format("{}–{}", point.first, point.last);
      all += element(
          "g",
          element("title", where + ": " + format_number(point.value, style_.precision)) +
              element("path",
                      {{"d", fmt::format("M{},{}h{}V{}h-{}z", number(at - piece / 2), number(top),
                                         number(piece), number(height - bottom), number(piece))}},
                      Html()) +
              element("circle", {{"cx", number(at)}, {"cy", number(y(point.value))}, {"r", "4"}}, Html()));
    }
    return element("svg",
                   {{"class", "chart"},
                    {"role", "group"},
                    {"aria-label", name},
                    {"viewBox", fmt::format("0 0 {} {}", number(width), number(height))}},
                   all);
  }

private:
  static double middle(const Point& point) { return static_cast<double>(point.first + point.last) / 2; }
  double x(double position) const {
    const auto first = static_cast<double>(first_),
               range = static_cast<double>(std::max<std::size_t>(last_ - first_, 1));
    return left + (width - left - right) * (position - first) / range;
  }
  double y(double value) const {
    const auto at = [&](double v) { return logarithmic_ ? std::log(v) : v; };
    const double range = at(high_) - at(low_);
    return top + (height - top - bottom) * (range > 0 ? (at(high_) - at(value)) / range : 0.5);
  }

  Html label(const char* kind, double at_x, double at_y, const std::string& text) const {
    return element("text", {{"class", kind}, {"x", number(at_x)}, {"y", number(at_y)}}, Html::text(text));
  }

  Html axes() const {
    const double floor = height - bottom;
    constexpr std::size_t lines = 4;
    Html all;
    for (std::size_t i = 0; i <= lines; ++i) {
      const double part = static_cast<double>(i) / lines;
      const double value = logarithmic_ ? low_ * std::pow(high_ / low_, part) : low_ + (high_ - low_) * part;
      all += element("line",
                     {{"x1", number(left)},
                      {"x2", number(width - right)},
                      {"y1", number(y(value))},
                      {"y2", number(y(value))}},
                     Html());
      all += label("row", left - 8, y(value), format_number(value, 3));
    }
    all += label("first", left, floor + 18, std::to_string(first_)) +
           label("last", width - right, floor + 18, std::to_string(last_));
    return all;
  }

  const std::vector<Point>& points_;
  std::size_t first_, last_;
  const Style& style_;
  double low_ = 0, high_ = 0;
  bool logarithmic_ = false;
};

} // namespace

Html line_chart(const std::vector<double>& values, const std::string& name, const Style& style,
                std::size_t first) {
  const std::vector<Point> points = points_of(values, first);
  if (points.size() < 2) return {};
  return element("div", {{"class", "box"}},
                 Chart(points, first, first + values.size() - 1, style).drawn(name));
}

} // namespace tfx
