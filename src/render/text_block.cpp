#include "render/text_block.hpp"

#include "text/display_width.hpp"

#include <algorithm>

namespace tfx {

void TextBlock::add(const std::string& line) {
  add(line, display_width(line));
}

void TextBlock::add(const std::string& line, std::size_t columns) {
  lines.push_back(line + std::string(width > columns ? width - columns : 0, ' '));
  if (columns > width) {
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) lines[i] += std::string(columns - width, ' ');
    width = columns;
  }
}

void TextBlock::add(const TextBlock& below) {
  for (const std::string& line : below.lines) add(line, below.width);
}

namespace {

void append_band(std::vector<std::string>& lines, const std::vector<const TextBlock*>& band) {
  std::size_t height = 0;
  for (const TextBlock* block : band) height = std::max(height, block->lines.size());
  for (std::size_t row = 0; row < height; ++row) {
    std::string line;
    for (std::size_t i = 0; i < band.size(); ++i) {
      if (i) line += "   ";
      line += row < band[i]->lines.size() ? band[i]->lines[row] : std::string(band[i]->width, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
  }
}

} // namespace

std::vector<std::string> place(const std::vector<TextBlock>& blocks, std::size_t width) {
  constexpr std::size_t gap = 3;
  std::vector<std::string> lines;
  std::vector<const TextBlock*> band;
  std::size_t used = 0;
  for (const TextBlock& block : blocks) {
    if (!band.empty() && used + gap + block.width > width) {
      append_band(lines, band);
      lines.emplace_back();
      band.clear();
      used = 0;
    }
    used += (band.empty() ? 0 : gap) + block.width;
    band.push_back(&block);
  }
  append_band(lines, band);
  return lines;
}

} // namespace tfx
