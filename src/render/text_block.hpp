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

} // namespace tfx
