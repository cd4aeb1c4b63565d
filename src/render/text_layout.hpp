#pragma once
// Text laid out in columns: rectangles of text that stand beside each other, and tables of named rows with
// numbers on the right. On a narrow screen a table leaves out columns from the right, and a name that is too
// long stands on a line of its own.

#include "render/style.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Lines of text; `width` is the widest in terminal columns (lines may be coloured, so it is not derived).
struct TextBlock {
  std::vector<std::string> lines;
  std::size_t width = 0;

  /// A line without colours.
  void add(const std::string& line);
  /// A line whose visible width is known.
  void add(const std::string& line, std::size_t columns);
  /// All of another block below.
  void add(const TextBlock& below);
};

/// The blocks in such an order that each stands in the first band of `place` that has room for it.
std::vector<TextBlock> packed(std::vector<TextBlock> blocks, std::size_t width);

/// The first of the blocks that stand in one band of `place`; at least one.
std::vector<TextBlock> first_band(std::vector<TextBlock> blocks, std::size_t width);

/// Blocks from left to right, three columns apart, in as many bands as the width needs; a blank line between
/// bands.
std::vector<std::string> place(const std::vector<TextBlock>& blocks, std::size_t width);

/// Lines as a text, the end of a line behind each.
std::string in_lines(const std::vector<std::string>& lines);

/// The text in the style's symbols, as lines of at most its width; all of them indented.
std::string wrapped(const std::string& text, const Style& style, const std::string& indent = {});

struct TableRow {
  std::string name;
  std::vector<std::string> cells; ///< one a column
  std::size_t indent = 0;
  bool strong = false;
  std::vector<std::string> names = {}; ///< of the column of text: none of them is broken
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
