#include "render/bar_picture.hpp"

#include "text/display_width.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

constexpr std::size_t widest_bar = 30, narrowest_bar = 6, between = 2;

/// A bar so many characters long where it is whole; what is there but shorter than half a character is a
/// line.
std::string in_characters(const std::vector<Stretch>& stretches, std::size_t width, bool ascii) {
  std::string bar;
  double end = 0;
  std::size_t length = 0;
  for (const Stretch& stretch : stretches) {
    end += stretch.share;
    const auto until =
        std::min(static_cast<std::size_t>(std::lround(end * static_cast<double>(width))), width);
    for (; length < until; ++length) bar += stretch.is_light ? (ascii ? "." : "░") : (ascii ? "#" : "█");
  }
  return bar.empty() && end > 0 ? (ascii ? "|" : "▏") : bar;
}

class Columns {
public:
  Columns(const Paper& paper, const BarPicture& picture) : style_(paper.style()) {
    for (const PictureRow& row : picture.rows) names_ = std::max(names_, display_width(named(row.name)));
    for (std::size_t c = 0; c < picture.columns.size(); ++c) {
      headings_.push_back(style_.symbols(paper.column(picture.columns[c])));
      std::size_t text = 0;
      for (const PictureRow& row : picture.rows) text = std::max(text, width_of(row.bars[c].text));
      texts_.push_back(text);
    }
    while (headings_.size() > 1 && room() < narrowest_bar) headings_.pop_back();
    bar_ = std::clamp(room(), narrowest_bar, widest_bar);
  }

  std::string heading() const {
    std::string line(names_, ' ');
    for (std::size_t c = 0; c < headings_.size(); ++c)
      line += std::string(between, ' ') + pad_right(headings_[c], width_of_column(c));
    return without_blanks(line);
  }

  std::string row(const PictureRow& row) const {
    std::string line = pad_right(named(row.name), names_);
    for (std::size_t c = 0; c < headings_.size(); ++c) {
      std::string cell = in_characters(row.bars[c].stretches, bar_, style_.ascii);
      if (texts_[c]) cell = pad_right(cell, bar_) + " " + row.bars[c].text;
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

  const Style& style_;
  std::size_t names_ = 0, bar_ = 0;
  std::vector<std::string> headings_;
  std::vector<std::size_t> texts_;
};

} // namespace

void write_idea(Paper& paper, const BarPicture& picture) {
  if (const auto text = paper.word("idea"))
    for (const std::string& one : wrap(paper.style().symbols(*text), paper.style().width)) paper.line(one);
  const Columns columns(paper, picture);
  paper.line(columns.heading());
  for (const PictureRow& row : picture.rows) paper.line(columns.row(row));
  paper.line();
  paper.paragraph(paper.word("idea.so"));
}

ShownTable idea_table(const BarPicture& picture) {
  constexpr std::size_t bar = 10;
  const auto padded = [](std::string text, std::size_t width) { // a document keeps these blanks
    for (std::size_t i = display_width(text); i < width; ++i) text += "\u00A0";
    return text;
  };
  ShownTable table{{""}, {}, false};
  table.columns.insert(table.columns.end(), picture.columns.begin(), picture.columns.end());
  for (const PictureRow& row : picture.rows) table.rows.push_back({row.name});
  for (std::size_t c = 0; c < picture.columns.size(); ++c) {
    std::size_t widest = 0;
    for (const PictureRow& row : picture.rows) widest = std::max(widest, display_width(row.bars[c].text));
    for (std::size_t i = 0; i < picture.rows.size(); ++i) {
      const PictureBar& one = picture.rows[i].bars[c];
      table.rows[i].push_back(padded(in_characters(one.stretches, bar, false), bar) +
                              (widest ? "\u00A0" : "") + padded(one.text, widest));
    }
  }
  return table;
}

} // namespace tfx
