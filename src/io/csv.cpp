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

/// 1 and 0 as Python and pandas write them.
std::optional<double> truth_in(std::string_view cell) {
  cell = trimmed(cell);
  if (cell == "True") return 1;
  if (cell == "False") return 0;
  return std::nullopt;
}

constexpr std::string_view minus_sign = "\u2212";

/// Whether who wrote the cell meant a value: its first letter or digit is a digit (1e400, 50%, −1, $5, １),
/// or it is a spelling of nan, of infinity or of a truth. Such a cell is never the name of a column.
bool is_meant_as_value(std::string_view cell) {
  static constexpr std::string_view signs[] = {minus_sign, "\u2013", "\uFF0B", "\uFF0D", "€", "£", "¥"},
                                    words[] = {"nan", "inf", "infinity", "true", "false"};
  const auto is_letter_or_digit = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           (c & 0x80);
  };
  while (!cell.empty()) {
    const auto* const sign =
        std::ranges::find_if(signs, [&](std::string_view one) { return cell.starts_with(one); });
    if (sign == std::end(signs) && is_letter_or_digit(cell[0])) break;
    cell.remove_prefix(sign == std::end(signs) ? 1 : sign->size());
  }
  if (cell.empty()) return false;
  if (cell[0] >= '0' && cell[0] <= '9') return true;
  const bool is_wide_digit = cell.starts_with("\uFF10") || (cell >= "\uFF11" && cell < "\uFF1A");
  if (is_wide_digit || cell.starts_with("∞")) return true;
  std::string word;
  for (const char c : trimmed(cell.substr(0, cell.find('(')))) // nan(1)
    word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return std::ranges::find(words, word) != std::end(words);
}

/// What the first cell of a row is. An index is what pandas numbers its rows with: it is passed over.
enum class FirstCell { value, label, index };

/// What the values of a table are: its first one says it.
enum class Kind { unknown, number, truth };

/// Why a cell is no value.
struct Objection {
  Message what, hint;
};

/// To a cell that neither number_in nor truth_in can read.
Objection objection_to(std::string_view cell) {
  if (trimmed(cell).empty())
    return {said("the cell is empty"), said("write a number into every cell, nan where there is none")};
  const std::string shown = in_quotes(cell, max_shown_cell);
  const std::size_t comma = cell.find(','), next = cell.find_first_of(";\t");
  if (comma != cell.npos && is_meant_as_value(cell.substr(0, comma)) && number_in(cell.substr(comma + 1)))
    return {said("{cell} is not a number: it has a decimal comma", {{"cell", shown}}),
            said("decimal commas are not read: write 1.5 for 1,5")};
  if (next != cell.npos && number_in(cell.substr(0, next)) && is_meant_as_value(cell.substr(next + 1)))
    return {said("{cell} is not a number: the line has decimal commas, as in {example}",
                 {{"cell", shown}, {"example", "1,5;2,5"}}),
            said("decimal commas are not read: write 1.5 for 1,5")};
  if (cell.find(minus_sign) != cell.npos)
    return {said("{cell} is not a number: its minus is U+2212", {{"cell", shown}}),
            said("write the minus of the keyboard: -1")};
  if (cell.ends_with('%'))
    return {said("{cell} is not a number: it has a unit", {{"cell", shown}}), said("write 0.5 for 50%")};
  return {said("{cell} is not a number", {{"cell", shown}}),
          said("write numbers as 1.5 or -2e-3, at most 1.8e308 in size: a decimal point, no thousands "
               "separators, no unit; nan, inf, -inf in lower case; or nothing but True and False")};
}

/// What is kept of a record: its numbers went to the values one by one.
struct CsvRow {
  std::size_t line = 0, cells = 0, numbers = 0;
  std::string label;
  bool starts_empty = false; ///< its first cell is
  bool has_names = false;    ///< a value cell holds text
  bool has_values = false;   ///< a value cell holds a number, or what was meant as one
  bool counts = true;        ///< its numbers are 0, 1, 2, …
  std::size_t bad_cell = 0;  ///< the first value that is none, from 1; 0 where there is none
  Objection objection;       ///< to that cell
};

/// The next record; its numbers are appended to `values`.
CsvRow take_row(CsvScanner& scanner, FirstCell first, Kind& kind, std::vector<double>& values) {
  CsvRow row;
  row.line = scanner.line_number();
  scanner.start_record();
  const auto object = [&](auto make_objection) {
    if (row.bad_cell != 0) return;
    row.bad_cell = row.cells;
    row.objection = make_objection();
  };
  while (const auto cell = scanner.next_cell()) {
    const bool is_empty = trimmed(*cell).empty();
    if (++row.cells == 1) {
      row.starts_empty = is_empty;
      if (first == FirstCell::label) row.label = *cell;
      if (first != FirstCell::value) continue;
    }
    const std::optional<double> number = number_in(*cell), truth = number ? std::nullopt : truth_in(*cell);
    if (!number && !truth) {
      row.has_names = row.has_names || !is_empty;
      row.has_values = row.has_values || is_meant_as_value(*cell);
      object([&] { return objection_to(*cell); });
      continue;
    }
    const Kind found = number ? Kind::number : Kind::truth;
    if (kind == Kind::unknown) kind = found;
    if (kind != found)
      object([&] {
        const std::string shown = in_quotes(*cell, max_shown_cell);
        return Objection{truth ? said("{cell} stands among numbers", {{"cell", shown}})
                               : said("{cell} stands among True and False", {{"cell", shown}}),
                         said("write 1 for True and 0 for False")};
      });
    row.has_values = true;
    row.counts = row.counts && number == static_cast<double>(row.numbers);
    ++row.numbers;
    values.push_back(number ? *number : *truth);
  }
  return row;
}

/// Whether no value is a number, nor meant as one. A line with some is a row with a mistake, not a header:
/// skipping it would lose data.
bool is_header(const CsvRow& row) {
  return !row.has_values;
}

/// Whether it is the header that pandas writes above its index: an empty cell, then the names of the columns,
/// which are 0, 1, 2, … where they were given none. (A 0 alone may as well be a row with a hole.)
bool is_header_of_index(const CsvRow& row) {
  if (!row.starts_empty) return false;
  return row.numbers == 0 ? row.has_names && !row.has_values
                          : row.counts && row.numbers > 1 && row.numbers == row.cells - 1;
}

/// Refuses a row of another number of cells than `width`, and then the first value that is no number.
void require_numbers(const CsvScanner& scanner, const CsvRow& row, std::size_t width) {
  if (row.cells != width)
    scanner.refuse(row.line, std::min(row.cells, width) + 1,
                   row.cells == 1 ? said("this row has {count} cell, the first row has {width}",
                                         {{"count", row.cells}, {"width", width}})
                                  : said("this row has {count} cells, the first row has {width}",
                                         {{"count", row.cells}, {"width", width}}),
                   said("give every row the same number of cells; a cell that holds the separator needs "
                        "quotes around it"));
  if (row.bad_cell != 0) scanner.refuse(row.line, row.bad_cell, row.objection.what, row.objection.hint);
}

[[noreturn]] void refuse_header_alone(const CsvScanner& scanner) {
  scanner.refuse(scanner.line_number(), 1, said("no row of numbers follows the header line"),
                 said("the first line counts as a header where its cells are not numbers; give at least one "
                      "row"));
}

/// Whether labels stand beside the numbers, for which memory is needed too.
enum class Beside { nothing, labels };

/// Room for every number that may follow, so that none is copied while they come. Numbers alone are counted
/// to the last one: they are read wherever they fit, without the share for words that an estimate adds.
std::vector<double> room_for_numbers(const CsvScanner& scanner, const std::string& name, Beside beside) {
  const std::size_t max_cells = scanner.max_cells(), bytes = max_cells * sizeof(double);
  const bool may_not_fit = beside == Beside::labels || bytes > available_memory();
  if (bytes >= worth_asking && may_not_fit)
    require_memory(static_cast<double>(bytes), said("reading {file}", {{"file", FileName(name)}}));
  std::vector<double> numbers;
  numbers.reserve(max_cells);
  return numbers;
}

} // namespace

Csv read_labelled_csv(std::string_view bytes, const std::string& name) {
  CsvScanner scanner(bytes, name);
  scanner.detect_separator();
  Csv csv;
  std::vector<double> numbers = room_for_numbers(scanner, name, Beside::labels);
  const std::string_view first_line = scanner.line();
  Kind kind = Kind::unknown;
  CsvRow row = take_row(scanner, FirstCell::label, kind, numbers);
  const std::size_t width = row.cells;
  if (width == 1)
    scanner.refuse(row.line, 2, said("no number follows the label"),
                   said("write a label and its numbers in every line, with commas between them: "
                        "cat,0.1,0.2"));
  if (is_header(row) || is_header_of_index(row)) {
    csv.header = first_line;
    numbers.clear();
    kind = Kind::unknown;
    if (scanner.at_end()) refuse_header_alone(scanner);
    row = take_row(scanner, FirstCell::label, kind, numbers);
  }
  while (true) {
    require_numbers(scanner, row, width);
    if (row.label.empty())
      scanner.refuse(row.line, 1, said("the label is empty"),
                     said("write a word before its numbers: cat,0.1,0.2"));
    csv.labels.push_back(std::move(row.label));
    if (scanner.at_end()) break;
    row = take_row(scanner, FirstCell::label, kind, numbers);
  }
  csv.values = Tensor({csv.labels.size(), width - 1}, std::move(numbers));
  return csv;
}

CsvMatrix read_matrix_csv(std::string_view bytes, const std::string& name) {
  CsvScanner scanner(bytes, name);
  const auto skip_comments = [&] { // np.savetxt writes its header and footer as comments
    while (!scanner.at_end() && scanner.at_comment()) scanner.take_line();
    return !scanner.at_end();
  };
  if (!skip_comments()) refuse_header_alone(scanner);
  scanner.detect_separator();
  std::vector<double> numbers = room_for_numbers(scanner, name, Beside::nothing);
  CsvMatrix matrix;
  const std::string_view first_line = scanner.line();
  FirstCell first = FirstCell::value;
  Kind kind = Kind::unknown;
  CsvRow row = take_row(scanner, first, kind, numbers);
  std::size_t width = row.cells;
  if (is_header(row) || is_header_of_index(row)) {
    if (is_header_of_index(row)) first = FirstCell::index;
    matrix.header = first_line;
    numbers.clear();
    kind = Kind::unknown;
    if (!skip_comments()) refuse_header_alone(scanner);
    row = take_row(scanner, first, kind, numbers);
    if (first == FirstCell::value) width = row.cells; // a header may be one title
  }
  std::size_t rows = 0;
  while (true) {
    require_numbers(scanner, row, width);
    ++rows;
    if (!skip_comments()) break;
    row = take_row(scanner, first, kind, numbers);
  }
  const std::size_t columns = numbers.size() / rows;
  matrix.values = Tensor({rows, columns}, std::move(numbers));
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
    throw usage(said("a CSV file holds at most 2 axes; this tensor has the shape {shape}",
                     {{"shape", to_string(tensor.shape)}}),
                said("save it as .npy or .npz, or choose one matrix of it"));
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

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? "\"\"" : c == '\n' || c == '\r' ? " " : std::string(1, c);
  return cell + "\"";
}

} // namespace tfx
