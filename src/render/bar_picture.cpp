#include "render/bar_picture.hpp"

#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tfx {

namespace {

constexpr std::size_t widest_bar = 30, narrowest_bar = 6, between = 2;

/// A bar so many characters long where it is whole. Its end is drawn in eighths of a character, and in lines
/// of one colour; what is there but shorter than any of them is a line.
std::string in_characters(const std::vector<Stretch>& stretches, std::size_t width, bool ascii) {
  constexpr std::array<const char*, 8> eighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto cells = static_cast<double>(width);
  std::string bar;
  double end = 0;
  std::size_t length = 0;
  for (const Stretch& stretch : stretches) {
    end += stretch.share;
    const bool is_last = &stretch == &stretches.back() && !stretch.is_light && !ascii;
    const double wanted = std::clamp(end * cells, 0.0, cells), whole = std::floor(wanted);
    const auto until = static_cast<std::size_t>(is_last ? whole : std::round(wanted));
    for (; length < until; ++length) bar += stretch.is_light ? (ascii ? "." : "░") : (ascii ? "#" : "█");
    if (is_last && length == until) bar += eighths[static_cast<std::size_t>(8 * (wanted - whole))];
  }
  return bar.empty() && end > 0 ? (ascii ? "|" : "▏") : bar;
}

/// Columns of the picture that stand beside each other.
class Columns {
public:
  Columns(const Paper& paper, const BarPicture& picture, std::size_t first)
      : style_(paper.style()), first_(first) {
    for (const PictureRow& row : picture.rows) names_ = std::max(names_, display_width(named(row.name)));
    for (std::size_t c = first; c < picture.columns.size(); ++c) {
      std::size_t text = 0;
      for (const PictureRow& row : picture.rows) text = std::max(text, width_of(row.bars[c].text));
      headings_.push_back(style_.symbols(paper.column(picture.columns[c])));
      texts_.push_back(text);
      if (headings_.size() > 1 && !fit()) {
        headings_.pop_back(), texts_.pop_back();
        break;
      }
    }
    bar_ = std::clamp(room(), narrowest_bar, widest_bar);
    for (std::string& heading : headings_) // the only one, if it is too wide
      heading = style_.shortened(heading, std::max(style_.width, names_ + between + 1) - names_ - between);
  }

  /// Of the first column that stands below.
  std::size_t end() const { return first_ + headings_.size(); }

  std::string heading() const {
    std::string line(names_, ' ');
    for (std::size_t c = 0; c < headings_.size(); ++c)
      line += std::string(between, ' ') + pad_right(headings_[c], width_of_column(c));
    return without_blanks(line);
  }

  std::string row(const PictureRow& row) const {
    std::string line = pad_right(named(row.name), names_);
    for (std::size_t c = 0; c < headings_.size(); ++c) {
      const PictureBar& bar = row.bars[first_ + c];
      std::string cell = in_characters(bar.stretches, bar_, style_.ascii);
      if (texts_[c]) cell = pad_right(cell, bar_) + " " + style_.symbols(escape_controls(bar.text));
      line += std::string(between, ' ') + pad_right(cell, width_of_column(c));
    }
    return without_blanks(line);
  }

private:
  static std::string without_blanks(const std::string& line) {
    return line.substr(0, line.find_last_not_of(' ') + 1);
  }

  /// A third of the line at most.
  std::string named(const std::string& name) const {
    return style_.shortened(style_.symbols(escape_controls(name)), style_.width / 3);
  }

  std::size_t width_of(const std::string& text) const {
    return display_width(style_.symbols(escape_controls(text)));
  }

  std::size_t behind(std::size_t column) const { return texts_[column] ? texts_[column] + 1 : 0; }

  /// A heading may be wider than its bars.
  std::size_t width_of_column(std::size_t column) const {
    return std::max(bar_ + behind(column), display_width(headings_[column]));
  }

  /// What is left for a bar.
  std::size_t room() const {
    std::size_t taken = names_;
    for (std::size_t c = 0; c < headings_.size(); ++c) taken += between + behind(c);
    return style_.width > taken ? (style_.width - taken) / headings_.size() : 0;
  }

  bool fit() const {
    const std::size_t bar = room();
    std::size_t taken = names_;
    for (std::size_t c = 0; c < headings_.size(); ++c)
      taken += between + std::max(bar + behind(c), display_width(headings_[c]));
    return bar >= narrowest_bar && taken <= style_.width;
  }

  const Style& style_;
  const std::size_t first_;
  std::size_t names_ = 0, bar_ = 0;
  std::vector<std::string> headings_;
  std::vector<std::size_t> texts_;
};

} // namespace

void write_idea(Paper& paper, const BarPicture& picture) {
  if (const auto text = paper.word("idea"))
    for (const std::string& one : wrap(paper.style().symbols(*text), paper.style().width)) paper.line(one);
  for (std::size_t first = 0; first < picture.columns.size();) {
    const Columns columns(paper, picture, first);
    paper.line(columns.heading());
    for (const PictureRow& row : picture.rows) paper.line(columns.row(row));
    paper.line();
    first = columns.end();
  }
  paper.paragraph(paper.word("idea.so"));
}

ShownTable idea_table(const BarPicture& picture) {
  constexpr std::size_t bar = 10;
  const auto padded = [](std::string text, std::size_t width) { // a document keeps these blanks
    for (std::size_t i = display_width(text); i < width; ++i) text += "\u00A0";
    return text;
  };
  ShownTable table{{""}, {}, false, true};
  table.columns.insert(table.columns.end(), picture.columns.begin(), picture.columns.end());
  for (const PictureRow& row : picture.rows) table.rows.push_back({row.name});
  for (std::size_t c = 0; c < picture.columns.size(); ++c) {
    std::size_t widest = 0;
    for (const PictureRow& row : picture.rows) widest = std::max(widest, display_width(row.bars[c].text));
    for (std::size_t i = 0; i < picture.rows.size(); ++i) {
      const PictureBar& one = picture.rows[i].bars[c];
      table.rows[i].push_back(padded(one.text, widest) + (widest ? "\u00A0" : "") +
                              in_characters(one.stretches, bar, false));
    }
  }
  return table;
}

} // namespace tfx
