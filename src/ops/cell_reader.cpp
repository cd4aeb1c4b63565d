#include "ops/cell_reader.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

std::string name_at_axis(const LabelledTensor& tensor, const Index& cell, std::size_t axis) {
  const auto& labels = tensor.labels[axis];
  return labels.empty() ? std::to_string(cell[axis]) : labels[cell[axis]];
}

} // namespace

void Explanation::set_single(std::string text, std::vector<CellRef> reads) {
  terms = {Term{std::move(text), cell.value, std::move(reads)}};
}

void Explanation::decide(const std::string& condition, const std::string& result) {
  by_rule = true;
  rule = condition + " ⇒ " + result;
}

Index matrix_cell(const Shape& shape, const Index& index, std::size_t row, std::size_t column) {
  const Index stack(index.begin(), index.end() - 2);
  const Shape own(shape.begin(), shape.end() - 2);
  Index result = broadcast_index(own, stack);
  result.push_back(row);
  result.push_back(column);
  return result;
}

CellRef CellReader::in_matrix(std::size_t i, std::size_t row, std::size_t column) const {
  return cell(i, matrix_cell(shape(i), index, row, column));
}

std::vector<CellRef> CellReader::row_of(std::size_t i, Index at) const {
  std::vector<CellRef> cells;
  for (at.back() = 0; at.back() < shape(i).back(); ++at.back()) cells.push_back(cell(i, at));
  return cells;
}

std::string CellReader::row_name(std::size_t i, const Index& cell) const {
  std::string text = input(i).name + "[";
  for (std::size_t axis = 0; axis + 1 < cell.size(); ++axis)
    text += name_at_axis(input(i), cell, axis) + ", ";
  return text + ":]";
}

std::string CellReader::last_name(std::size_t i, const Index& cell) const {
  return name_at_axis(input(i), cell, cell.size() - 1);
}

std::string CellReader::column_name(std::size_t i, const Index& cell) const {
  // Axes in front that the result has not are summed along.
  const std::size_t in_front = cell.size() - 2, summed = cell.size() - std::min(cell.size(), index.size());
  std::string text = input(i).name + "[";
  for (std::size_t axis = 0; axis < in_front; ++axis)
    text += (axis < summed ? ":" : name_at_axis(input(i), cell, axis)) + ", ";
  return text + ":, " + last_name(i, cell) + "]";
}

std::string CellReader::factor(double value) const {
  const std::string text = format_number(value, precision_);
  return text.front() == '-' ? "(" + text + ")" : text;
}

void CellReader::decide(Explanation& e, const std::string& condition) const {
  e.decide(condition, std::isinf(e.cell.value) ? "−∞" : plain(e.cell.value));
}

} // namespace tfx
