#pragma once
// Text tables: numbers separated by commas, tabs, semicolons or blanks, with or without a header line and
// labels. RFC 4180 quotes, a byte order mark, CRLF and blank lines at the end are understood; everything else
// is refused with Error(bad_data) that names the file, the line and the column. Both count from 1; the column
// counts cells, or bytes where the file is no text.

#include "core/tensor.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// A table whose lines start with a label (a word and its embedding).
struct Csv {
  std::vector<std::string> labels; ///< one a row, none empty
  Tensor values;                   ///< (rows, columns), at least one of each
  std::string header = {};         ///< the first line where it was taken as names of the columns
};

/// A table of numbers alone.
struct CsvMatrix {
  Tensor values;           ///< (rows, columns), at least one of each
  std::string header = {}; ///< the first line where it was taken as names of the columns
};

/// A label, then numbers, a row a line, with commas, tabs, semicolons or blanks between. A first line without
/// any number in its value cells, nor anything meant as one (1e400, NaN, 50%), is a header, and so is the
/// line that pandas writes: an empty cell, then the names of the columns or 0, 1, 2, … `name` is the file's
/// name in messages. Throws Error(bad_data) where a row or a number is wrong.
Csv read_labelled_csv(std::string_view bytes, const std::string& name);

/// A matrix of numbers, or of nothing but True and False (1 and 0). A first line without any number, nor
/// anything meant as one, is a header and is skipped, and so are comment lines (#), which np.savetxt writes.
/// Below the header of pandas (an empty cell, then names or 0, 1, 2, …) the first cell of each row is its
/// index, and is no number of the matrix. The separator is what the first line shows: comma, tab, semicolon,
/// or blanks, np.savetxt's default. Throws Error(bad_data) where a row or a number is wrong.
CsvMatrix read_matrix_csv(std::string_view bytes, const std::string& name);

/// One entry a line, as it stands; blank lines are dropped. Throws Error(bad_data) where no line is left or
/// the bytes are no UTF-8 text.
std::vector<std::string> read_lines(std::string_view bytes, const std::string& name);

/// A scalar, a vector (a number a line) or a matrix (a row a line) with commas. Every number is the shortest
/// text that reads back as the same double; "nan", "inf", "-inf" as np.savetxt writes them. Throws
/// Error(usage) where the tensor has more than two axes.
std::string write_csv(const Tensor& tensor);

/// A text as a cell between commas: in quotes where it needs them, on one line.
std::string csv_cell(const std::string& text);

} // namespace tfx
