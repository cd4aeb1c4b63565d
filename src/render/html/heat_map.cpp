#include "render/html/heat_map.hpp"

#include "core/number.hpp"
#include "render/html/grid.hpp"
#include "render/screen_number.hpp"
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
  const std::string name = slice_name(step, slice).empty() ? step.name : slice_name(step, slice);
  Attributes attributes{{"class", "heat"}, {"role", "group"}, {"aria-label", name}};
  if (book) attributes.emplace_back("data-t", std::to_string(book->number_of(step)));
  return element("div", {{"class", "box"}}, HeatMap(step, slice, style).drawn(attributes));
}

} // namespace tfx
