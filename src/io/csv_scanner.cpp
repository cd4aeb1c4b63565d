#include "io/csv_scanner.hpp"

#include "core/visible.hpp"
#include "io/message.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tfx {

namespace {

constexpr std::string_view blanks = " \t";

// Compared here, not sought in a string: that would be a call for each byte of the file.
constexpr bool is_blank(char character) {
  return character == ' ' || character == '\t';
}
constexpr bool is_line_end(char character) {
  return character == '\r' || character == '\n';
}

Message quote_hint() {
  return said("put quotes around the whole cell and write a quote inside it twice: \"\"");
}

/// A lone return ends a line too: spreadsheets on old Macs write that.
std::size_t count_line_ends(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    count += text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
  return count;
}

} // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

CsvScanner::CsvScanner(std::string_view bytes, const std::string& name)
    : name_(name), rest_(without_byte_order_mark(bytes)) {
  const auto refuse_byte = [&](std::size_t at, const Message& what, const Message& hint) {
    const std::string_view before = bytes.substr(0, at);
    const std::size_t last_end = before.find_last_of("\r\n"),
                      start = last_end == before.npos ? 0 : last_end + 1;
    refuse(count_line_ends(before) + 1, at - start + 1, what, hint);
  };
  for (std::size_t at = 0, length; at < bytes.size(); at += length) {
    length = utf8_length(bytes, at);
    if (length == 0)
      refuse_byte(
          at,
          said("byte {byte} of the file (0x{code}) is not UTF-8 text",
               {{"byte", at}, {"code", fmt::format("{:02x}", static_cast<unsigned char>(bytes[at]))}}),
          said("save it as UTF-8: Excel in China writes GBK unless you choose \"CSV UTF-8\"; or run "
               "iconv -f GBK -t UTF-8 old.csv > new.csv"));
    if (bytes[at] == '\0')
      refuse_byte(at,
                  said("byte {byte} of the file is NUL: this looks binary, not like text", {{"byte", at}}),
                  said("give a text file; a spreadsheet (.xlsx) is exported as \"CSV UTF-8\" first"));
  }
  if (at_end()) refuse(1, 1, said("the file is empty"), said("give one row a line"));
}

void CsvScanner::refuse(std::size_t line, std::size_t column, const Message& what,
                        const Message& hint) const {
  refuse_file(
      name_,
      said("line {line}, column {column}: {what}", {{"line", line}, {"column", column}, {"what", what}}),
      hint);
}

std::string_view CsvScanner::line() const {
  return {rest_.begin(), std::find_if(rest_.begin(), rest_.end(), is_line_end)};
}

bool CsvScanner::ends_cell(char character) const {
  return character == separators_.front() || character == separators_.back() || is_line_end(character);
}

bool CsvScanner::at_line_end() const {
  return rest_.empty() || is_line_end(rest_[0]);
}

void CsvScanner::skip_blanks() {
  while (!rest_.empty() && is_blank(rest_[0])) rest_.remove_prefix(1);
}

void CsvScanner::skip_line_end() {
  if (rest_.empty()) return;
  rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : 1);
  ++line_number_;
}

std::string_view CsvScanner::take_line() {
  const std::string_view taken = line();
  rest_.remove_prefix(taken.size());
  skip_line_end();
  return taken;
}

void CsvScanner::detect_separator() {
  static constexpr std::string_view candidates = "\t,;";
  std::size_t counts[candidates.size()] = {};
  bool inside_quotes = false; // where a line may end and the record go on
  for (char character : rest_) {
    inside_quotes ^= character == '"';
    if (inside_quotes) continue;
    if (is_line_end(character)) break;
    if (const std::size_t i = candidates.find(character); i != std::string_view::npos) ++counts[i];
  }
  const std::size_t* most_frequent = std::max_element(std::begin(counts), std::end(counts));
  separators_ =
      *most_frequent == 0 ? blanks : candidates.substr(static_cast<std::size_t>(most_frequent - counts), 1);
}

void CsvScanner::start_record() {
  if (trimmed(line()).empty())
    refuse(line_number_, 1, said("a blank line stands between the rows"), said("remove the line"));
  column_ = 0;
}

std::optional<std::string_view> CsvScanner::next_cell() {
  const bool runs = separators_ == blanks;
  if (runs) skip_blanks();
  if (column_ > 0) {
    if (at_line_end()) {
      skip_line_end();
      return std::nullopt;
    }
    if (!runs) rest_.remove_prefix(1);
  }
  ++column_;
  return rest_.starts_with('"') ? take_quoted_cell() : take_plain_cell();
}

std::size_t CsvScanner::max_cells() const {
  std::size_t count = 1;
  char before = '\0';
  for (const char character : rest_) {
    const bool goes_on = character == before ? separators_ == blanks : before == '\r' && character == '\n';
    count += ends_cell(character) && !goes_on;
    before = character;
  }
  return count;
}

std::string_view CsvScanner::take_quoted_cell() {
  unquoted_.clear();
  std::string_view ahead = rest_;
  do { // once for each quote inside the cell, which stands there twice
    ahead.remove_prefix(1);
    const std::size_t length = ahead.find('"');
    if (length == ahead.npos)
      refuse(line_number_, column_, said("the quote that opens this cell is never closed"), quote_hint());
    if (ahead.data() != rest_.data() + 1) unquoted_ += '"';
    unquoted_ += ahead.substr(0, length);
    ahead.remove_prefix(length + 1);
  } while (ahead.starts_with('"'));
  rest_ = ahead;
  if (!rest_.empty() && !ends_cell(rest_[0]))
    refuse(line_number_, column_, said("text follows the quote that closes this cell"), quote_hint());
  line_number_ += count_line_ends(unquoted_);
  return unquoted_;
}

std::string_view CsvScanner::take_plain_cell() {
  std::size_t length = 0;
  bool has_quote = false;
  for (; length < rest_.size() && !ends_cell(rest_[length]); ++length) has_quote |= rest_[length] == '"';
  const std::string_view cell = rest_.substr(0, length);
  if (has_quote)
    refuse(
        line_number_, column_,
        said("{cell} holds a quote but does not start with one", {{"cell", in_quotes(cell, max_shown_cell)}}),
        quote_hint());
  rest_.remove_prefix(length);
  return cell;
}

} // namespace tfx
