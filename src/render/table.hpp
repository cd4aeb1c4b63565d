#pragma once
// A table of named rows: numbers on the right, perhaps a column of text behind them. On a narrow screen
// columns are left out from the right, and a name that is too long stands on a line of its own.

#include "render/style.hpp"

#include <string>
#include <vector>

namespace tfx {

struct TableRow {
  std::string name;
  std::vector<std::string> cells; ///< one a column
  std::size_t indent = 0;
  bool strong = false;
};

struct Table {
  enum class Last { number, text }; ///< text is wrapped within what is left of the line

  std::vector<std::string> headings; ///< one a column; the names have none
  std::vector<TableRow> rows;
  Last last = Last::number;
};

std::vector<std::string> table_lines(const Table& table, const Style& style);

/// The same of rows that are arrays, whose dotted names can be half a line long: where they would take
/// columns away, each stands on a line above its numbers.
std::vector<std::string> array_table_lines(const Table& table, const Style& style);

} // namespace tfx
