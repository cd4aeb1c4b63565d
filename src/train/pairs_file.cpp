#include "train/pairs_file.hpp"

#include "core/memory.hpp"
#include "core/visible.hpp"
#include "io/csv_scanner.hpp"
#include "io/limits.hpp"
#include "io/message.hpp"
#include "io/utf8.hpp"
#include "text/tokens.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

constexpr auto form = "write a pair a line: the source, a TAB, the target";

// What a task takes that is made from these bytes, at most: measured with short lines and with long ones.
void require_memory_for_task(std::string_view bytes, const std::string& name) {
  if (bytes.size() < worth_asking) return;
  constexpr double a_line = 256, a_byte = 8;
  const auto lines = static_cast<double>(std::count(bytes.begin(), bytes.end(), '\n'));
  require_memory(a_line * lines + a_byte * static_cast<double>(bytes.size()), "reading " + printable(name));
}

void require_sound(const CsvScanner& scanner, std::size_t line, std::size_t column, std::string_view cell) {
  if (split_at_white_space(cell).empty())
    scanner.refuse(line, column, column == 1 ? "the source is blank" : "the target is blank", form);
  for (std::size_t at = 0, length; at < cell.size(); at += length) {
    length = utf8_length(cell, at);
    const std::string_view character = cell.substr(at, length);
    if (drives_a_terminal(utf8_value(character)))
      scanner.refuse(line, column, "the text holds the control character " + printable(character),
                     "remove it: no keyboard writes it, and no screen shows it");
  }
}

Pair pair_in(const CsvScanner& scanner, std::size_t line, std::string_view text) {
  const auto tabs = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\t'));
  if (tabs == 0) scanner.refuse(line, 1, "no TAB stands in " + in_quotes(text, max_shown_cell), form);
  if (tabs > 1)
    scanner.refuse(line, 3, fmt::format("this line has {} cells, a pair has 2", tabs + 1),
                   "keep two columns, for example with cut -f1,2");
  const std::size_t tab = text.find('\t');
  const std::string_view source = text.substr(0, tab), target = text.substr(tab + 1);
  require_sound(scanner, line, 1, source);
  require_sound(scanner, line, 2, target);
  return {std::string(source), std::string(target)};
}

} // namespace

std::vector<Pair> read_pairs(std::string_view bytes, const std::string& name) {
  require_memory_for_task(bytes, name);
  CsvScanner scanner(bytes, name);
  std::vector<Pair> pairs;
  while (!scanner.at_end()) {
    const std::size_t line = scanner.line_number();
    const std::string_view text = scanner.take_line();
    if (trimmed(text).empty())
      scanner.refuse(line, 1, "a blank line stands between the pairs", "remove the line");
    pairs.push_back(pair_in(scanner, line, text));
  }
  return pairs;
}

} // namespace tfx
