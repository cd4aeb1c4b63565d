#pragma once
// What an operation needs to explain one of its cells: the numbers that it reads, the names of rows and
// columns, numbers as text.

#include "core/number.hpp"
#include "core/tensor.hpp"
#include "ops/operation.hpp"

namespace tfx {

/// The cell at `index` of a computed step. Numbers have `precision` decimals.
class CellReader {
public:
  CellReader(const Computed& step, const Index& cell, int precision)
      : index(cell), step_(step), precision_(precision) {}

  const Index& index;
  std::size_t row() const { return index[index.size() - 2]; }
  std::size_t column() const { return index.back(); }

  const Operation& operation() const { return step_.operation; }
  const Shape& result_shape() const { return step_.result.value.shape; }
  std::size_t inputs() const { return step_.inputs.size(); }
  const LabelledTensor& input(std::size_t i) const { return *step_.inputs[i]; }
  const Shape& shape(std::size_t i) const { return input(i).value.shape; }

  CellRef cell(std::size_t i, Index at) const {
    const double value = input(i).value.at(at);
    return {input(i).name, std::move(at), value};
  }
  /// The cell of input `i` that falls on this one by NumPy's broadcasting.
  CellRef here(std::size_t i) const { return cell(i, broadcast_index(shape(i), index)); }
  CellRef at(std::size_t i, const Index& other) const { return cell(i, broadcast_index(shape(i), other)); }
  /// Cell (row, column) of input `i` in the matrix of this cell's batch and head.
  CellRef in_matrix(std::size_t i, std::size_t row, std::size_t column) const;
  /// The cells of input `i` along the row that holds `at`, whose last place is ignored.
  std::vector<CellRef> row_of(std::size_t i, Index at) const;
  std::vector<CellRef> row_of(std::size_t i) const { return row_of(i, index); }

  /// "Q[q1, 2]".
  std::string name(std::size_t i, const CellRef& cell) const { return cell_name(input(i), cell.index); }
  /// "K[k3, :]": the whole row that holds the cell.
  std::string row_name(std::size_t i, const Index& cell) const;
  /// "W_Q[:, 2]", "V[1, :, 2]".
  std::string column_name(std::size_t i, const Index& cell) const;
  /// "k3", or "2" where the last axis has no labels.
  std::string last_name(std::size_t i, const Index& cell) const;

  std::string plain(double value) const { return format_number(value, precision_); }
  /// A negative factor is put in parentheses, so that the text can be typed into a calculator.
  std::string factor(double value) const;
  /// "2·4".
  std::string product(double a, double b) const { return factor(a) + "·" + factor(b); }
  /// Term a·b of two cells.
  Term product_term(const CellRef& a, const CellRef& b) const {
    return {product(a.value, b.value), a.value * b.value, {a, b}};
  }

  /// The condition alone decides the cell.
  void decide(Explanation& e, const std::string& condition) const;

private:
  const Computed& step_;
  int precision_;
};

/// Index of the matrix's cell (row, column) with the leading axes of `index`, broadcast to `shape`.
Index matrix_cell(const Shape& shape, const Index& index, std::size_t row, std::size_t column);

} // namespace tfx
