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

constexpr std::size_t between_blocks = 3;

void append_band(std::vector<std::string>& lines, const std::vector<const TextBlock*>& band) {
  std::size_t height = 0;
  for (const TextBlock* block : band) height = std::max(height, block->lines.size());
  for (std::size_t row = 0; row < height; ++row) {
    std::string line;
    for (std::size_t i = 0; i < band.size(); ++i) {
      if (i) line += std::string(between_blocks, ' ');
      line += row < band[i]->lines.size() ? band[i]->lines[row] : std::string(band[i]->width, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
  }
}

} // namespace

std::vector<TextBlock> packed(std::vector<TextBlock> blocks, std::size_t width) {
  struct Band {
    std::vector<TextBlock> blocks;
    std::size_t used;
  };
  std::vector<Band> bands;
  for (TextBlock& block : blocks) {
    const auto band = std::ranges::find_if(
        bands, [&](const Band& open) { return open.used + between_blocks + block.width <= width; });
    if (band == bands.end()) {
      bands.push_back({{}, block.width});
      bands.back().blocks.push_back(std::move(block));
    } else {
      band->used += between_blocks + block.width;
      band->blocks.push_back(std::move(block));
    }
  }
  std::vector<TextBlock> ordered;
  for (Band& band : bands) std::ranges::move(band.blocks, std::back_inserter(ordered));
  return ordered;
}

std::vector<std::string> place(const std::vector<TextBlock>& blocks, std::size_t width) {
  std::vector<std::string> lines;
  std::vector<const TextBlock*> band;
  std::size_t used = 0;
  for (const TextBlock& block : blocks) {
    if (!band.empty() && used + between_blocks + block.width > width) {
      append_band(lines, band);
      lines.emplace_back();
      band.clear();
      used = 0;
    }
    used += (band.empty() ? 0 : between_blocks) + block.width;
    band.push_back(&block);
  }
  append_band(lines, band);
  return lines;
}

std::string in_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::string wrapped(const std::string& text, const Style& style, const std::string& indent) {
  std::string lines;
  for (const std::string& line : wrap(style.symbols(text), style.width - indent.size()))
    lines += indent + line + "\n";
  return lines;
}

} // namespace tfx
