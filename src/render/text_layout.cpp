#include "render/text_layout.hpp"

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

std::vector<TextBlock> first_band(std::vector<TextBlock> blocks, std::size_t width) {
  std::size_t used = 0, count = 0;
  for (const TextBlock& block : blocks) {
    used += (count ? between_blocks : 0) + block.width;
    if (count && used > width) break;
    ++count;
  }
  blocks.resize(count);
  return blocks;
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

namespace {

constexpr std::size_t gap = 2, min_text_width = 10, min_name_width = 12;

/// "a, b" in lines; a name is broken only where it is wider than one.
std::vector<std::string> list_lines(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::string> lines{""};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i] + (i + 1 < names.size() ? "," : "");
    std::string& line = lines.back();
    if (!line.empty() && display_width(line) + 1 + display_width(name) <= width) {
      line += " " + name;
      continue;
    }
    if (line.empty()) lines.pop_back();
    for (const std::string& part : wrap(name, width)) lines.push_back(part);
  }
  return lines;
}

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
    if (text_)
      text = row.names.empty() ? wrap(style_.symbols(row.cells.back()), text_) : list_lines(row.names, text_);
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string whole = (i ? std::string(used, ' ') : line) + std::string(gap, ' ') + text[i];
      whole.erase(whole.find_last_not_of(' ') + 1);
      all.push_back(whole);
    }
    if (text_ == 0 && !row.names.empty()) // a narrow screen has no room for them beside the rest
      for (const std::string& names : list_lines(row.names, std::max(style_.width, gap + 1) - gap))
        all.push_back(std::string(gap, ' ') + names);
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
