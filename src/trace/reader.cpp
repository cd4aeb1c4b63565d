#include "trace/reader.hpp"

#include <cmath>

namespace tfx {

namespace {

std::string name_at_axis(const Step& step, const Index& cell, std::size_t axis) {
  const auto& labels = step.labels[axis];
  return labels.empty() ? std::to_string(cell[axis]) : labels[cell[axis]];
}

} // namespace

Index matrix_cell(const Shape& shape, const Index& index, std::size_t row, std::size_t column) {
  Index stack(index.begin(), index.end() - 2);
  const Shape own(shape.begin(), shape.end() - 2);
  Index result = broadcast_index(own, stack);
  result.push_back(row);
  result.push_back(column);
  return result;
}

std::string row_name(const Step& step, const Index& cell) {
  std::string text = step.name + "[";
  for (std::size_t axis = 0; axis + 1 < cell.size(); ++axis) text += name_at_axis(step, cell, axis) + ", ";
  return text + ":]";
}

std::string name_at(const Step& step, const Index& cell) {
  return name_at_axis(step, cell, cell.size() - 1);
}

std::string column_name(const Step& step, const Index& cell) {
  return step.name + "[:, " + name_at(step, cell) + "]";
}

void single(Explanation& e, std::string text, std::vector<CellRef> reads) {
  e.terms = {Term{std::move(text), e.cell.value, std::move(reads)}};
}

void decide(Explanation& e, const std::string& condition, const Reader& read) {
  e.by_rule = true;
  e.rule = condition + " ⇒ " + (std::isinf(e.cell.value) ? "−∞" : read.plain(e.cell.value));
}

} // namespace tfx
