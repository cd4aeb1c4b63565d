#include "render/html/line_chart.hpp"

#include "core/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

constexpr double width = 640, height = 240, left = 58, right = 12, top = 12, bottom = 28;
constexpr std::size_t max_points = 120;
constexpr double wide_range = 50; ///< from here on in logarithms

struct Point {
  std::size_t first, last; ///< positions, from 1
  double value;
};

/// The means of the finite values on each of at most `max_points` equal pieces.
std::vector<Point> points_of(const std::vector<double>& values) {
  const std::size_t pieces = std::min(max_points, values.size());
  std::vector<Point> points;
  for (std::size_t p = 0; p < pieces; ++p) {
    const std::size_t begin = p * values.size() / pieces, end = (p + 1) * values.size() / pieces;
    double sum = 0, count = 0;
    for (std::size_t i = begin; i < end; ++i)
      if (std::isfinite(values[i])) sum += values[i], count += 1;
    if (count > 0) points.push_back({begin + 1, end, sum / count});
  }
  return points;
}

std::string number(double value) {
  return format_number(value, 1);
}

class Chart {
public:
  Chart(const std::vector<Point>& points, std::size_t count, const Style& style)
      : points_(points), count_(count), style_(style) {
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
          "g", {{"class", "point"}},
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
    const double last = static_cast<double>(std::max<std::size_t>(count_, 2));
    return left + (width - left - right) * (position - 1) / (last - 1);
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
    all += label("first", left, floor + 18, "1") +
           label("last", width - right, floor + 18, std::to_string(count_));
    return all;
  }

  const std::vector<Point>& points_;
  std::size_t count_;
  const Style& style_;
  double low_ = 0, high_ = 0;
  bool logarithmic_ = false;
};

} // namespace

Html line_chart(const std::vector<double>& values, const std::string& name, const Style& style) {
  const std::vector<Point> points = points_of(values);
  if (points.size() < 2) return {};
  return element("div", {{"class", "box"}}, Chart(points, values.size(), style).drawn(name));
}

} // namespace tfx
