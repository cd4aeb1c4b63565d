#pragma once
// A text table taken apart: its lines, its records, their cells. Knows quotes, separators and line ends, and
// nothing about numbers.

#include "core/error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tfx {

/// `text` without the blanks and tabs at its ends.
std::string_view trimmed(std::string_view text);

/// Bytes of a cell that a message shows.
constexpr std::size_t max_shown_cell = 40;

/// Walks from the start of a text to its end. The text and its name must outlive the scanner.
class CsvScanner {
public:
  /// `name` is the file's name in messages. Throws Error(bad_data) where the bytes are no UTF-8 text, hold
  /// NUL or nothing but blank lines.
  CsvScanner(std::string_view bytes, const std::string& name);

  bool exhausted() const { return rest_.empty(); }
  /// Whether nothing but blank lines is left.
  bool at_end() const { return rest_.find_first_not_of(" \t\r\n") == std::string_view::npos; }
  /// Whether the next line is a comment (#).
  bool at_comment() const { return trimmed(line()).starts_with('#'); }

  /// The next line, without its end.
  std::string_view line() const;
  std::string_view take_line();

  /// From here on cells stand between what the next record shows: tab, comma or semicolon, the most frequent
  /// outside quotes; blanks where it has none of them.
  void detect_separator();

  /// Starts the next record, which may go on over lines where a cell is quoted. Throws Error(bad_data) where
  /// a blank line stands there.
  void start_record();
  /// The record's next cell, valid until the one after it is taken; nothing at the record's end, which is
  /// then behind. A record is never held whole: one line may be the whole file. Throws Error(bad_data) where
  /// a quote is wrong.
  std::optional<std::string_view> next_cell();

  /// Not less than the number of cells from here to the end.
  std::size_t max_cells() const;

  /// Of the next line, from 1.
  std::size_t line_number() const { return line_number_; }

  /// Throws Error(bad_data) "NAME: line L, column C: WHAT".
  [[noreturn]] void refuse(std::size_t line, std::size_t column, const Message& what,
                           const Message& hint) const;

private:
  bool ends_cell(char character) const;
  bool at_line_end() const;
  void skip_line_end();
  void skip_blanks();
  std::string_view take_quoted_cell();
  std::string_view take_plain_cell();

  const std::string& name_;
  std::string_view rest_;
  std::size_t line_number_ = 1;
  std::string_view separators_ = ","; ///< one character, or blank and tab, where a run of them counts as one
  std::size_t column_ = 0;            ///< cells taken of the record
  std::string unquoted_;              ///< the last quoted cell
};

} // namespace tfx
