#include "trace/layer_arithmetic.hpp"

#include "trace/labels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

// The cells of the first input's row that holds `index`.
std::vector<CellRef> row_of(const Reader& read, const Index& index) {
  std::vector<CellRef> cells;
  Index at = index;
  for (at.back() = 0; at.back() < read.shape(0).back(); ++at.back()) cells.push_back(read.cell(0, at));
  return cells;
}

} // namespace

void explain_moment(Explanation& e, const Reader& read, const Index& index, Op op) {
  const std::vector<CellRef> row = row_of(read, index);
  const std::string name = row_name(read.input(0), index), n = std::to_string(row.size());
  double mean = 0;
  for (const CellRef& x : row) mean += x.value;
  mean /= static_cast<double>(row.size());
  for (const CellRef& x : row) {
    const double off = x.value - mean;
    if (op == Op::row_mean)
      e.terms.push_back({read.number(x.value), x.value, {x}});
    else
      e.terms.push_back({"(" + read.plain(x.value) + " - " + read.number(mean) + ")^2", off * off, {x}});
  }
  switch (op) {
  case Op::row_mean:
    e.formula = "mean(" + name + ")";
    e.before = "(", e.after = ") / " + n;
    break;
  case Op::row_variance:
    e.formula = "Σ (x − mean)² / d, x = " + name;
    e.before = "(", e.after = ") / " + n;
    break;
  default:
    e.formula = "√(Σ (x − mean)² / (d − 1)), x = " + name;
    e.before = "sqrt((", e.after = ") / (" + n + " - 1))";
  }
}

void explain_log_softmax(Explanation& e, const Reader& read, const Index& index) {
  const std::vector<CellRef> row = row_of(read, index);
  double largest = -std::numeric_limits<double>::infinity();
  for (const CellRef& x : row) largest = std::max(largest, x.value);
  for (const CellRef& x : row)
    e.terms.push_back({"exp(" + read.plain(x.value) + " - " + read.number(largest) + ")",
                       std::exp(x.value - largest),
                       {x}});
  e.formula = "ln softmax(" + row_name(read.input(0), index) + ")[" + name_at(read.input(0), index) + "]";
  e.before = read.plain(row[index.back()].value) + " - " + read.number(largest) + " - ln(";
  e.after = ")";
}

void explain_angle(Explanation& e, const Reader& read, const Index& index, const How& how) {
  const CellRef position = read.cell(0, {index[0]});
  const std::string pair = std::to_string(index[1] / 2), d = read.plain(how.constant);
  single(e, read.plain(position.value) + " / 10000^(2·" + pair + "/" + d + ")", {position});
  e.formula = cell_name(read.input(0), position.index) +
              " / 10000^(2⌊j/2⌋/d), j = " + std::to_string(index[1]) + ", d = " + d;
}

void explain_one_hot(Explanation& e, const Reader& read, const Index& index) {
  const CellRef id = read.cell(1, Index(index.begin(), index.end() - 1));
  single(e, read.plain(id.value), {id});
  const std::string name = cell_name(read.input(1), id.index), column = std::to_string(index.back());
  e.formula = "[" + name + " = " + column + "]";
  decide(e, name + " = " + read.plain(id.value) + (e.cell.value == 1 ? "" : " ≠ " + column), read);
}

void explain_layer_cell(Explanation& e, const Reader& read, const Index& index, const How& how) {
  const CellRef a = read.broadcast_cell(0, index);
  const std::string name = cell_name(read.input(0), a.index), x = read.plain(a.value);
  switch (how.op) {
  case Op::sqrt:
    single(e, "sqrt(" + x + ")", {a});
    e.formula = "√" + name;
    break;
  case Op::add_constant:
    single(e, x + " + " + how.constant_text, {a});
    e.formula = name + " + " + how.constant_text;
    break;
  case Op::multiply_by:
    single(e, read.number(a.value) + "·" + read.number(how.constant), {a});
    e.formula = name + "·" + how.constant_text;
    break;
  case Op::relu:
    single(e, "max(" + x + ", 0)", {a});
    e.formula = "max(" + name + ", 0)";
    break;
  case Op::sin_cos: {
    const std::string function = index.back() % 2 == 0 ? "sin(" : "cos(";
    single(e, function + x + ")", {a});
    e.formula = function + name + ")";
    break;
  }
  default: { // multiply
    const CellRef b = read.broadcast_cell(1, index);
    single(e, read.number(a.value) + "·" + read.number(b.value), {a, b});
    e.formula = name + "·" + cell_name(read.input(1), b.index);
  }
  }
}

} // namespace tfx
