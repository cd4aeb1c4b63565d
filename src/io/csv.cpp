#include "io/csv.hpp"

#include "core/error.hpp"
#include "io/csv_scanner.hpp"
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
  if (cell.starts_with('+') && !cell.starts_with("+-")) cell.remove_prefix(1);
  const bool is_a_word = cell.find_first_of("nN") != cell.npos; // nan, inf and what from_chars adds
  if (is_a_word && cell != "nan" && cell != "inf" && cell != "-inf") return std::nullopt;
  double value = 0;
  const auto [end, failure] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (failure != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse_number(const CsvScanner& scanner, const CsvRecord& record, std::size_t cell) {
  const bool empty = trimmed(record.cells[cell]).empty();
  scanner.refuse(
      record.line, cell + 1,
      empty ? "the cell is empty" : in_quotes(record.cells[cell], longest_shown_cell) + " is not a number",
      "write numbers as 1.5 or -2e-3, at most 1.8e308 in size: a decimal point, no thousands separators, "
      "no unit; nan, inf, -inf in lower case");
}

void require_width(const CsvScanner& scanner, const CsvRecord& record, std::size_t width) {
  const std::size_t cells = record.cells.size();
  if (cells == width) return;
  scanner.refuse(
      record.line, std::min(cells, width) + 1,
      fmt::format("this row has {} cell{}, the first row has {}", cells, cells == 1 ? "" : "s", width),
      "give every row the same number of cells; a cell that holds the separator needs quotes around it");
}

/// Whether no cell from `first` on is a number. A line with some numbers is a row with a mistake, not a
/// header: skipping it would lose data without a word.
bool is_header(const CsvRecord& record, std::size_t first) {
  return std::none_of(record.cells.begin() + static_cast<std::ptrdiff_t>(first), record.cells.end(),
                      [](const std::string& cell) { return number_in(cell).has_value(); });
}

/// Appends the cells from `first` on to `data`.
void append_numbers(const CsvScanner& scanner, const CsvRecord& record, std::size_t first,
                    std::vector<double>& data) {
  for (std::size_t i = first; i < record.cells.size(); ++i) {
    const std::optional<double> number = number_in(record.cells[i]);
    if (!number) refuse_number(scanner, record, i);
    data.push_back(*number);
  }
}

[[noreturn]] void refuse_header_alone(const CsvScanner& scanner) {
  scanner.refuse(scanner.line_number(), 1, "no row of numbers follows the header line",
                 "the first line counts as a header where its cells are not numbers; give at least one row");
}

} // namespace

Csv read_labelled_csv(std::string_view bytes, const std::string& name) {
  CsvScanner scanner(bytes, name);
  scanner.detect_separator();
  CsvRecord record = scanner.take_record();
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
    require_width(scanner, record, width);
    append_numbers(scanner, record, 1, csv.values.data);
    csv.labels.push_back(std::move(record.cells[0]));
    if (scanner.at_end()) break;
    record = scanner.take_record();
  }
  csv.values.shape = {csv.labels.size(), width - 1};
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
  CsvRecord record = scanner.take_record();
  if (is_header(record, 0)) {
    if (!skip_comments()) refuse_header_alone(scanner);
    record = scanner.take_record();
  }
  Tensor matrix;
  const std::size_t width = record.cells.size();
  while (true) {
    require_width(scanner, record, width);
    append_numbers(scanner, record, 0, matrix.data);
    if (!skip_comments()) break;
    record = scanner.take_record();
  }
  matrix.shape = {matrix.data.size() / width, width};
  return matrix;
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
