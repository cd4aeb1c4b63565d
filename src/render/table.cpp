#include "render/table.hpp"

#include "text/display_width.hpp"

#include <algorithm>

namespace tfx {

namespace {

constexpr std::size_t gap = 2, min_text_width = 10, min_name_width = 12;

class Layout {
public:
  Layout(const Table& table, const Style& style) : table_(table), style_(style) {
    const std::size_t columns = table.headings.size();
    numbers_ = table.last == Table::Last::text ? columns - 1 : columns;
    for (const TableRow& row : table.rows)
      names_ = std::max(names_, row.indent + display_width(style.symbols(row.name)));
    for (std::size_t i = 0; i < numbers_; ++i) {
      std::size_t widest = display_width(style.symbols(table.headings[i]));
      for (const TableRow& row : table.rows)
        widest = std::max(widest, display_width(style.symbols(row.cells[i])));
      widths_.push_back(widest + gap);
    }
    fit();
  }

  std::vector<std::string> lines() const {
    std::vector<std::string> all = row_lines({"", table_.headings, 0, false});
    for (std::string& line : all) line = style_.dim(line);
    for (const TableRow& row : table_.rows)
      for (const std::string& line : row_lines(row)) all.push_back(row.strong ? style_.bold(line) : line);
    return all;
  }

private:
  /// The names give way to the first two columns, then columns are left out.
  void fit() {
    std::size_t first_two = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(2, numbers_); ++i) first_two += widths_[i];
    const std::size_t room = style_.width > first_two ? style_.width - first_two : 0;
    names_ = std::min(names_, std::max(room, min_name_width));
    std::size_t used = names_;
    while (shown_ < numbers_ && used + widths_[shown_] <= style_.width) used += widths_[shown_++];
    if (table_.last == Table::Last::text && shown_ == numbers_ && used + gap + min_text_width <= style_.width)
      text_ = style_.width - used - gap;
  }

  std::vector<std::string> row_lines(const TableRow& row) const {
    std::vector<std::string> all;
    std::string name = std::string(row.indent, ' ') + style_.symbols(row.name);
    if (display_width(name) > names_) {
      for (const std::string& part : wrap(name, style_.width)) all.push_back(part);
      name.clear();
    }
    std::string line = pad_right(name, names_);
    for (std::size_t i = 0; i < shown_; ++i) line += pad_left(style_.symbols(row.cells[i]), widths_[i]);
    const std::size_t used = display_width(line);
    std::vector<std::string> text{""};
    if (text_) text = wrap(style_.symbols(row.cells.back()), text_);
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string whole = (i ? std::string(used, ' ') : line) + std::string(gap, ' ') + text[i];
      whole.erase(whole.find_last_not_of(' ') + 1);
      all.push_back(whole);
    }
    return all;
  }

  const Table& table_;
  const Style& style_;
  std::size_t names_ = 0, numbers_ = 0, shown_ = 0, text_ = 0;
  std::vector<std::size_t> widths_;
};

} // namespace

std::vector<std::string> table_lines(const Table& table, const Style& style) {
  return Layout(table, style).lines();
}

std::vector<std::string> array_table_lines(const Table& table, const Style& style) {
  Style plain = style;
  plain.color = Color::none, plain.width = 1000; // what the table would like to have
  const auto widest = [](const std::vector<std::string>& lines) {
    std::size_t width = 0;
    for (const std::string& line : lines) width = std::max(width, display_width(line));
    return width;
  };
  if (widest(table_lines(table, plain)) <= style.width) return table_lines(table, style);
  Table numbers = table;
  for (TableRow& row : numbers.rows) row.name.clear();
  const std::vector<std::string> lines = table_lines(numbers, style); // the headings, then a line a row
  std::vector<std::string> all{lines.front()};
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    for (const std::string& part : wrap(style.symbols(table.rows[i].name), style.width)) all.push_back(part);
    all.push_back(lines[i + 1]);
  }
  return all;
}

} // namespace tfx
