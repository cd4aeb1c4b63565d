#include "train/pairs_file.hpp"

#include "core/memory.hpp"
#include "core/visible.hpp"
#include "io/csv_scanner.hpp"
#include "io/limits.hpp"
#include "io/message.hpp"
#include "text/tokens.hpp"

#include <algorithm>

namespace tfx {

namespace {

Message form() {
  return said("write a pair a line: the source, a TAB, the target");
}

// What a task takes that is made from these bytes, at most: measured with short lines and with long ones.
void require_memory_for_task(std::string_view bytes, const std::string& name) {
  if (bytes.size() < worth_asking) return;
  constexpr double a_line = 256, a_byte = 8;
  const auto lines = static_cast<double>(std::count(bytes.begin(), bytes.end(), '\n'));
  require_memory(a_line * lines + a_byte * static_cast<double>(bytes.size()),
                 said("reading {file}", {{"file", FileName(name)}}));
}

void require_sound(const CsvScanner& scanner, std::size_t line, std::size_t column, std::string_view cell) {
  if (split_at_white_space(cell).empty())
    scanner.refuse(line, column, column == 1 ? said("the source is blank") : said("the target is blank"),
                   form());
  for (std::size_t at = 0, length; at < cell.size(); at += length) {
    length = utf8_length(cell, at);
    const std::string_view character = cell.substr(at, length);
    if (drives_a_terminal(utf8_value(character)))
      scanner.refuse(
          line, column,
          said("the text holds the control character {character}", {{"character", printable(character)}}),
          said("remove it: no keyboard writes it, and no screen shows it"));
  }
}

Pair pair_in(const CsvScanner& scanner, std::size_t line, std::string_view text) {
  const auto tabs = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\t'));
  if (tabs == 0)
    scanner.refuse(line, 1, said("no TAB stands in {text}", {{"text", in_quotes(text, max_shown_cell)}}),
                   form());
  if (tabs > 1)
    scanner.refuse(line, 3, said("this line has {count} cells, a pair has 2", {{"count", tabs + 1}}),
                   said("keep two columns, for example with cut -f1,2"));
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
      scanner.refuse(line, 1, said("a blank line stands between the pairs"), said("remove the line"));
    pairs.push_back(pair_in(scanner, line, text));
  }
  return pairs;
}

} // namespace tfx
