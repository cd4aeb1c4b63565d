#pragma once
// Rectangles of text, and placing them beside each other.

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

/// Blocks from left to right, three columns apart, in as many bands as the width needs; a blank line between
/// bands.
std::vector<std::string> place(const std::vector<TextBlock>& blocks, std::size_t width);

/// Lines as a text, the end of a line behind each.
std::string in_lines(const std::vector<std::string>& lines);

/// The text in the style's symbols, as lines of at most its width; all of them indented.
std::string wrapped(const std::string& text, const Style& style, const std::string& indent = {});

} // namespace tfx
