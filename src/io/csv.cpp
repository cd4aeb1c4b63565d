#include "io/csv.hpp"

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/json_writer.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

namespace tfx {

namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view line_ends = "\r\n";
constexpr std::string_view byte_order_mark = "\uFEFF";

struct Record {
  std::vector<std::string> cells;
  std::size_t line = 0; ///< where it starts, from 1
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// A cell as a message shows it: controls escaped, cut between two characters.
std::string quoted(std::string_view cell) {
  constexpr std::size_t longest = 40;
  std::size_t length = 0;
  while (length < std::min(longest, cell.size())) length += utf8_length(cell, length);
  return fmt::format("\"{}{}\"", printable(cell.substr(0, length)), length < cell.size() ? "…" : "");
}

/// The numbers np.savetxt writes, and nothing else: no hexadecimal, no decimal comma, no other spelling of
/// nan.
std::optional<double> number_in(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  const bool is_a_word =
      cell.find_first_of("nN") != std::string_view::npos; // nan, inf and what from_chars adds
  if (is_a_word && cell != "nan" && cell != "inf" && cell != "-inf") return std::nullopt;
  double value = 0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failure != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

/// A lone return ends a line too: spreadsheets on old Macs write that.
std::size_t count_line_ends(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    count += text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
  return count;
}

/// Walks over the lines, records and cells of a text. The constructor refuses bytes that are no text.
class Scanner {
public:
  Scanner(std::string_view bytes, const std::string& name);

  bool exhausted() const { return rest_.empty(); }
  /// Whether nothing but blank lines is left.
  bool at_end() const { return rest_.find_first_not_of(" \t\r\n") == std::string_view::npos; }
  bool at_comment() const { return trimmed(line()).starts_with('#'); }
  std::string_view take_line();
  void detect_separator();
  Record take_record();

  std::size_t line_number() const { return line_number_; }
  [[noreturn]] void refuse(std::size_t line, std::size_t column, const std::string& what,
                           const std::string& hint) const;
  [[noreturn]] void refuse_number(const Record& record, std::size_t cell) const;
  void require_width(const Record& record, std::size_t width) const;

private:
  std::string_view line() const { return rest_.substr(0, rest_.find_first_of(line_ends)); }
  bool at_line_end() const { return rest_.empty() || line_ends.find(rest_[0]) != std::string_view::npos; }
  void skip_line_end();
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size())); }
  std::string take_quoted_cell(std::size_t column);
  std::string take_plain_cell(std::size_t column);

  const std::string& name_;
  std::string_view rest_;
  std::size_t line_number_ = 1;
  std::string_view separators_; ///< one character, or `blanks`, where a run of them counts as one
};

Scanner::Scanner(std::string_view bytes, const std::string& name) : name_(name), rest_(bytes) {
  if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
  const auto refuse_byte = [&](std::size_t at, const std::string& what, const std::string& hint) {
    const std::string_view before = bytes.substr(0, at);
    const std::size_t last_end = before.find_last_of(line_ends),
                      start = last_end == before.npos ? 0 : last_end + 1;
    refuse(count_line_ends(before) + 1, at - start + 1, fmt::format("byte {} of the file {}", at, what),
           hint);
  };
  for (std::size_t at = 0, length; at < bytes.size(); at += length) {
    length = utf8_length(bytes, at);
    if (length == 0)
      refuse_byte(at, fmt::format("(0x{:02x}) is not UTF-8 text", static_cast<unsigned char>(bytes[at])),
                  "save it as UTF-8: Excel in China writes GBK unless you choose \"CSV UTF-8\"; or run "
                  "iconv -f GBK -t UTF-8 old.csv > new.csv");
    if (bytes[at] == '\0')
      refuse_byte(at, "is NUL: this looks binary, not like text",
                  "give a text file; a spreadsheet (.xlsx) is exported as \"CSV UTF-8\" first");
  }
  if (at_end()) refuse(1, 1, "the file is empty", "give one row a line");
}

void Scanner::refuse(std::size_t line, std::size_t column, const std::string& what,
                     const std::string& hint) const {
  throw Error(ErrorKind::bad_data,
              fmt::format("{}: line {}, column {}: {}", printable(name_), line, column, what), hint);
}

void Scanner::refuse_number(const Record& record, std::size_t cell) const {
  const bool empty = trimmed(record.cells[cell]).empty();
  refuse(record.line, cell + 1, empty ? "the cell is empty" : quoted(record.cells[cell]) + " is not a number",
         "write numbers as 1.5 or -2e-3, at most 1.8e308 in size: a decimal point, no thousands separators, "
         "no unit; "
         "nan, inf, -inf in lower case");
}

void Scanner::require_width(const Record& record, std::size_t width) const {
  const std::size_t cells = record.cells.size();
  if (cells == width) return;
  refuse(record.line, std::min(cells, width) + 1,
         fmt::format("this row has {} cell{}, the first row has {}", cells, cells == 1 ? "" : "s", width),
         "give every row the same number of cells; a cell that holds the separator needs quotes around it");
}

void Scanner::skip_line_end() {
  if (rest_.empty()) return;
  rest_.remove_prefix(rest_.starts_with("\r\n") ? 2 : 1);
  ++line_number_;
}

std::string_view Scanner::take_line() {
  const std::string_view taken = line();
  rest_.remove_prefix(taken.size());
  skip_line_end();
  return taken;
}

void Scanner::detect_separator() {
  static constexpr std::string_view candidates = "\t,;";
  std::size_t counts[candidates.size()] = {};
  bool inside_quotes = false; // where a line may end and the record go on
  for (char character : rest_) {
    inside_quotes ^= character == '"';
    if (inside_quotes) continue;
    if (line_ends.find(character) != std::string_view::npos) break;
    if (const std::size_t i = candidates.find(character); i != std::string_view::npos) ++counts[i];
  }
  const std::size_t* most = std::max_element(std::begin(counts), std::end(counts));
  separators_ = *most == 0 ? blanks : candidates.substr(static_cast<std::size_t>(most - counts), 1);
}

Record Scanner::take_record() {
  if (trimmed(line()).empty())
    refuse(line_number_, 1, "a blank line stands between the rows", "remove the line");
  Record record;
  record.line = line_number_;
  const bool runs = separators_ == blanks;
  if (runs) skip_blanks();
  while (true) {
    const std::size_t column = record.cells.size() + 1;
    record.cells.push_back(rest_.starts_with('"') ? take_quoted_cell(column) : take_plain_cell(column));
    if (runs) skip_blanks();
    if (at_line_end()) break;
    if (!runs) rest_.remove_prefix(1);
  }
  skip_line_end();
  return record;
}

std::string Scanner::take_quoted_cell(std::size_t column) {
  const char* const hint = "put quotes around the whole cell and write a quote inside it twice: \"\"";
  std::string cell;
  std::string_view ahead = rest_;
  do { // once for each quote inside the cell, which stands there twice
    ahead.remove_prefix(1);
    const std::size_t length = ahead.find('"');
    if (length == ahead.npos)
      refuse(line_number_, column, "the quote that opens this cell is never closed", hint);
    if (ahead.data() != rest_.data() + 1) cell += '"';
    cell += ahead.substr(0, length);
    ahead.remove_prefix(length + 1);
  } while (ahead.starts_with('"'));
  rest_ = ahead;
  if (!at_line_end() && separators_.find(rest_[0]) == std::string_view::npos)
    refuse(line_number_, column, "text follows the quote that closes this cell", hint);
  line_number_ += count_line_ends(cell);
  return cell;
}

std::string Scanner::take_plain_cell(std::size_t column) {
  std::size_t length = 0;
  while (length < rest_.size() && separators_.find(rest_[length]) == std::string_view::npos &&
         rest_[length] != '\r' && rest_[length] != '\n')
    ++length;
  const std::string_view cell = rest_.substr(0, length);
  if (cell.find('"') != cell.npos)
    refuse(line_number_, column, quoted(cell) + " holds a quote but does not start with one",
           "put quotes around the whole cell and write a quote inside it twice: \"\"");
  rest_.remove_prefix(length);
  return std::string(cell);
}

/// Whether no cell from `first` on is a number. A line with some numbers is a row with a mistake, not a
/// header: skipping it would lose data without a word.
bool is_header(const Record& record, std::size_t first) {
  return std::none_of(record.cells.begin() + static_cast<std::ptrdiff_t>(first), record.cells.end(),
                      [](const std::string& cell) { return number_in(cell).has_value(); });
}

/// Appends the cells from `first` on to `data`.
void append_numbers(const Scanner& scanner, const Record& record, std::size_t first,
                    std::vector<double>& data) {
  for (std::size_t i = first; i < record.cells.size(); ++i) {
    const std::optional<double> number = number_in(record.cells[i]);
    if (!number) scanner.refuse_number(record, i);
    data.push_back(*number);
  }
}

[[noreturn]] void refuse_header_alone(const Scanner& scanner) {
  scanner.refuse(scanner.line_number(), 1, "no row of numbers follows the header line",
                 "the first line counts as a header where its cells are not numbers; give at least one row");
}

} // namespace

Csv read_labelled_csv(std::string_view bytes, const std::string& name) {
  Scanner scanner(bytes, name);
  scanner.detect_separator();
  Record record = scanner.take_record();
  const std::size_t width = record.cells.size();
  if (width == 1)
    scanner.refuse(record.line, 2, "no number follows the label",
                   "write a label and its numbers in every line, with commas between them: cat,0.1,0.2");
  Csv csv;
  if (is_header(record, 1)) {
    csv.header.assign(std::next(record.cells.begin()), record.cells.end());
    if (scanner.at_end()) refuse_header_alone(scanner);
    record = scanner.take_record();
  }
  while (true) {
    scanner.require_width(record, width);
    append_numbers(scanner, record, 1, csv.values.data);
    csv.labels.push_back(std::move(record.cells[0]));
    if (scanner.at_end()) break;
    record = scanner.take_record();
  }
  csv.values.shape = {csv.labels.size(), width - 1};
  return csv;
}

Tensor read_matrix_csv(std::string_view bytes, const std::string& name) {
  Scanner scanner(bytes, name);
  const auto skip_comments = [&] { // np.savetxt writes its header and footer as comments
    while (!scanner.at_end() && scanner.at_comment()) scanner.take_line();
    return !scanner.at_end();
  };
  if (!skip_comments()) refuse_header_alone(scanner);
  scanner.detect_separator();
  Record record = scanner.take_record();
  if (is_header(record, 0)) {
    if (!skip_comments()) refuse_header_alone(scanner);
    record = scanner.take_record();
  }
  Tensor matrix;
  const std::size_t width = record.cells.size();
  while (true) {
    scanner.require_width(record, width);
    append_numbers(scanner, record, 0, matrix.data);
    if (!skip_comments()) break;
    record = scanner.take_record();
  }
  matrix.shape = {matrix.data.size() / width, width};
  return matrix;
}

std::vector<std::string> read_lines(std::string_view bytes, const std::string& name) {
  Scanner scanner(bytes, name);
  std::vector<std::string> lines;
  while (!scanner.exhausted())
    if (const std::string_view line = scanner.take_line(); !trimmed(line).empty()) lines.emplace_back(line);
  return lines;
}

std::string write_csv(const Tensor& tensor) {
  if (tensor.rank() > 2)
    throw Error(ErrorKind::usage,
                "a CSV file holds at most 2 axes; this tensor has the shape " + to_string(tensor.shape),
                "save it as .npy or .npz, or choose one matrix of it");
  const std::size_t columns = tensor.rank() == 2 ? tensor.shape[1] : 1;
  std::string text;
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (std::isnan(tensor.data[i]))
      text += "nan"; // fmt writes the sign of a NaN
    else
      fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), tensor.data[i]);
    text += (i + 1) % columns == 0 ? '\n' : ',';
  }
  return text;
}

} // namespace tfx
