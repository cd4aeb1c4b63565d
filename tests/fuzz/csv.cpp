// Text tables: matrices, words with their vectors, lines.
#include "io/csv.hpp"
#include "fuzz.hpp"
#include "io/message.hpp"

namespace tfx::fuzz {

namespace {

std::string in_quotes(const std::string& cell) {
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

/// A header, then a label and its numbers in each row.
std::string written(const Csv& csv) {
  const std::size_t columns = csv.values.shape[1];
  std::string text = "word" + std::string(columns, ',') + "\n";
  for (std::size_t row = 0; row < csv.labels.size(); ++row) {
    const auto begin = csv.values.data.begin() + static_cast<std::ptrdiff_t>(row * columns);
    const Tensor numbers({1, columns}, {begin, begin + static_cast<std::ptrdiff_t>(columns)});
    text += in_quotes(csv.labels[row]) + "," + write_csv(numbers);
  }
  return text;
}

} // namespace

void one_input(std::string_view bytes) {
  const std::string name = "x.csv";
  if (const auto matrix = read_or_refuse(name, [&] { return read_matrix_csv(bytes, name); }))
    require(same(read_matrix_csv(write_csv(matrix->values), name).values, matrix->values),
            "the matrix comes back");

  if (const auto table = read_or_refuse(name, [&] { return read_labelled_csv(bytes, name); })) {
    require(table->labels.size() == table->values.shape[0], "each row has a label");
    const Csv again = read_labelled_csv(written(*table), name);
    require(again.labels == table->labels, "the labels come back");
    require(same(again.values, table->values), "the numbers come back");
  }

  if (const auto lines = read_or_refuse(name, [&] { return read_lines(bytes, name); }))
    for (const std::string& line : *lines)
      require(is_utf8(line) && line.find_first_of("\r\n") == line.npos, "a line is one line of text");
}

} // namespace tfx::fuzz
