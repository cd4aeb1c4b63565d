#include "cli/files/array_table.hpp"

#include "text/display_width.hpp"

#include <algorithm>

namespace tfx {

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
