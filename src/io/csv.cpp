#include "io/csv.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/csv_scanner.hpp"
#include "io/limits.hpp"
#include "io/message.hpp"

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

/// The numbers np.savetxt writes, and nothing else: no hexadecimal, no decimal comma, no other spelling of
/// nan.
std::optional<double> number_in(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.empty()) return std::nullopt;
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  const bool is_a_word = cell.find_first_of("nN") != cell.npos; // nan, inf and what from_chars adds
  if (is_a_word && cell != "nan" && cell != "inf" && cell != "-inf") return std::nullopt;
  double value = 0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failure != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

/// What the first cell of a row is. An index is what pandas numbers its rows with: it is passed over.
enum class FirstCell { value, label, index };

/// What is kept of a record: its numbers went to the values one by one.
struct CsvRow {
  std::size_t line = 0, cells = 0, numbers = 0;
  std::string label;
  bool starts_empty = false; ///< its first cell is
  bool has_names = false;    ///< a value cell holds text
  bool counts = true;        ///< its numbers are 0, 1, 2, …
  std::size_t bad_cell = 0;  ///< the first value that is no number, from 1; 0 where there is none
  std::string objection;     ///< to that cell
};

/// The next record; its numbers are appended to `values`.
CsvRow take_row(CsvScanner& scanner, FirstCell first, std::vector<double>& values) {
  CsvRow row;
  row.line = scanner.line_number();
  scanner.start_record();
  while (const auto cell = scanner.next_cell()) {
    const bool is_empty = trimmed(*cell).empty();
    if (++row.cells == 1) {
      row.starts_empty = is_empty;
      if (first == FirstCell::label) row.label = *cell;
      if (first != FirstCell::value) continue;
    }
    if (const std::optional<double> number = number_in(*cell)) {
      row.counts = row.counts && *number == static_cast<double>(row.numbers);
      ++row.numbers;
      values.push_back(*number);
    } else {
      row.has_names = row.has_names || !is_empty;
      if (row.bad_cell != 0) continue;
      row.bad_cell = row.cells;
      row.objection = is_empty ? "the cell is empty" : in_quotes(*cell, max_shown_cell) + " is not a number";
    }
  }
  return row;
}

/// Whether no value is a number. A line with some numbers is a row with a mistake, not a header: skipping it
/// would lose data without a word.
bool is_header(const CsvRow& row) {
  return row.numbers == 0;
}

/// Whether it is the header that pandas writes above its index: an empty cell, then the names of the columns,
/// which are 0, 1, 2, … where they were given none. (A 0 alone may as well be a row with a hole.)
bool is_header_of_index(const CsvRow& row) {
  if (!row.starts_empty) return false;
  return row.numbers == 0 ? row.has_names : row.counts && row.numbers > 1 && row.numbers == row.cells - 1;
}

/// Refuses a row of another number of cells than `width`, and then the first value that is no number.
void require_numbers(const CsvScanner& scanner, const CsvRow& row, std::size_t width) {
  if (row.cells != width)
    scanner.refuse(
        row.line, std::min(row.cells, width) + 1,
        fmt::format("this row has {} cell{}, the first row has {}", row.cells, row.cells == 1 ? "" : "s",
                    width),
        "give every row the same number of cells; a cell that holds the separator needs quotes around it");
  if (row.bad_cell != 0)
    scanner.refuse(
        row.line, row.bad_cell, row.objection,
        "write numbers as 1.5 or -2e-3, at most 1.8e308 in size: a decimal point, no thousands separators, "
        "no unit; nan, inf, -inf in lower case");
}

[[noreturn]] void refuse_header_alone(const CsvScanner& scanner) {
  scanner.refuse(scanner.line_number(), 1, "no row of numbers follows the header line",
                 "the first line counts as a header where its cells are not numbers; give at least one row");
}

/// Room for every number that may follow, so that none is copied while they come.
std::vector<double> room_for_numbers(const CsvScanner& scanner, const std::string& name) {
  const std::size_t max_cells = scanner.max_cells();
  if (max_cells * sizeof(double) >= worth_asking)
    require_memory(static_cast<double>(max_cells) * sizeof(double), "reading " + printable(name));
  std::vector<double> numbers;
  numbers.reserve(max_cells);
  return numbers;
}

} // namespace

Csv read_labelled_csv(std::string_view bytes, const std::string& name) {
  CsvScanner scanner(bytes, name);
  scanner.detect_separator();
  Csv csv;
  std::vector<double> numbers = room_for_numbers(scanner, name);
  CsvRow row = take_row(scanner, FirstCell::label, numbers);
  const std::size_t width = row.cells;
  if (width == 1)
    scanner.refuse(row.line, 2, "no number follows the label",
                   "write a label and its numbers in every line, with commas between them: cat,0.1,0.2");
  if (is_header(row) || is_header_of_index(row)) {
    numbers.clear();
    if (scanner.at_end()) refuse_header_alone(scanner);
    row = take_row(scanner, FirstCell::label, numbers);
  }
  while (true) {
    require_numbers(scanner, row, width);
    if (row.label.empty())
      scanner.refuse(row.line, 1, "the label is empty", "write a word before its numbers: cat,0.1,0.2");
    csv.labels.push_back(std::move(row.label));
    if (scanner.at_end()) break;
    row = take_row(scanner, FirstCell::label, numbers);
  }
  csv.values = Tensor({csv.labels.size(), width - 1}, std::move(numbers));
  return csv;
}

Tensor read_matrix_csv(std::string_view bytes, const std::string& name) {
  CsvScanner scanner(bytes, name);
  const auto skip_comments = [&] { // np.savetxt writes its header and footer as comments
    while (!scanner.at_end() && scanner.at_comment()) scanner.take_line();
    return !scanner.at_end();
  };
  if (!skip_comments()) refuse_header_alone(scanner);
  scanner.detect_separator();
  std::vector<double> numbers = room_for_numbers(scanner, name);
  FirstCell first = FirstCell::value;
  CsvRow row = take_row(scanner, first, numbers);
  std::size_t width = row.cells;
  if (is_header(row) || is_header_of_index(row)) {
    if (is_header_of_index(row)) first = FirstCell::index;
    numbers.clear();
    if (!skip_comments()) refuse_header_alone(scanner);
    row = take_row(scanner, first, numbers);
    if (first == FirstCell::value) width = row.cells; // a header may be one title
  }
  std::size_t rows = 0;
  while (true) {
    require_numbers(scanner, row, width);
    ++rows;
    if (!skip_comments()) break;
    row = take_row(scanner, first, numbers);
  }
  const std::size_t columns = numbers.size() / rows;
  return Tensor({rows, columns}, std::move(numbers));
}

std::vector<std::string> read_lines(std::string_view bytes, const std::string& name) {
  CsvScanner scanner(bytes, name);
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
