#include "trace/row_arithmetic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

// Terms f(x) over the row that holds the cell.
template <class Text, class Value>
void over_row(Explanation& e, const Reader& read, const Index& row, Text text, Value value) {
  Index at = row;
  for (std::size_t k = 0; k < read.shape(0).back(); ++k) {
    at.back() = k;
    const CellRef x = read.cell(0, at);
    e.terms.push_back({text(x.value), value(x.value), {x}});
  }
}

// A row that is −∞ throughout may see nothing: no arithmetic gives its cells, a rule does.
void decide_blocked_row(Explanation& e, const Reader& read, const Index& row, const std::string& condition) {
  e.terms.clear();
  Index at = row;
  for (at.back() = 0; at.back() < read.shape(0).back(); ++at.back()) {
    const CellRef cell = read.cell(0, at);
    e.terms.push_back({read.plain(cell.value), cell.value, {cell}});
  }
  decide(e, condition, read);
  e.reason = "blocked_row";
}

} // namespace

void explain_softmax(Explanation& e, const Reader& read, const Index& index) {
  Index at = index;
  double largest = -std::numeric_limits<double>::infinity();
  for (at.back() = 0; at.back() < read.shape(0).back(); ++at.back())
    largest = std::max(largest, read.cell(0, at).value);
  const std::string row = row_name(read.input(0), index);
  e.formula = "softmax(" + row + ")[" + name_at(read.input(0), index) + "]";
  const auto power = [&](double x) { return "exp(" + read.plain(x) + " - " + read.number(largest) + ")"; };
  if (std::isinf(largest)) return decide_blocked_row(e, read, index, "max(" + row + ") = −∞");
  over_row(e, read, index, power, [&](double x) { return std::exp(x - largest); });
  e.before = power(read.cell(0, index).value) + " / (";
  e.after = ")";
}

void explain_row(Explanation& e, const Reader& read, const Index& index, Op op) {
  Index row = index;
  if (op == Op::row_norm) row.push_back(0);
  const std::string name = row_name(read.input(0), row);
  switch (op) {
  case Op::row_max:
    e.formula = "max(" + name + ")";
    e.before = "max(", e.between = ", ", e.after = ")";
    over_row(
        e, read, row, [&](double x) { return read.plain(x); }, [](double x) { return x; });
    if (std::all_of(e.terms.begin(), e.terms.end(),
                    [](const Term& t) { return std::isinf(t.value) && t.value < 0; }))
      decide_blocked_row(e, read, row, e.formula + " = −∞");
    break;
  case Op::row_sum:
    e.formula = "Σ " + name;
    over_row(
        e, read, row, [&](double x) { return read.number(x); }, [](double x) { return x; });
    break;
  case Op::row_norm:
    e.formula = "√Σ " + name + "²";
    e.before = "sqrt(", e.after = ")";
    over_row(
        e, read, row, [&](double x) { return read.number(x) + "^2"; }, [](double x) { return x * x; });
    break;
  case Op::entropy:
    e.formula = "−Σ w·ln w, w = " + name;
    e.before = "-(", e.after = ")";
    over_row(
        e, read, row, [&](double x) { return x == 0 ? "0" : read.number(x) + "·ln(" + read.plain(x) + ")"; },
        [](double x) { return x == 0 ? 0 : x * std::log(x); });
    break;
  default: break;
  }
}

void explain_first_max(Explanation& e, const Reader& read, const Index& index) {
  Index at = index;
  std::size_t best = 0;
  double largest = -std::numeric_limits<double>::infinity();
  for (at.back() = 0; at.back() < read.shape(0).back(); ++at.back())
    if (const double x = read.cell(0, at).value; x > largest) largest = x, best = at.back();
  const std::string is_mine = " = " + std::to_string(index.back()) + "]";
  e.before = "[argmax(", e.between = ", ", e.after = ")" + is_mine;
  e.formula = "[argmax(" + row_name(read.input(0), index) + ")" + is_mine;
  over_row(
      e, read, index, [&](double x) { return read.plain(x); }, [](double x) { return x; });
  e.rule = "argmax = " + std::to_string(best) +
           (best == index.back() ? " ⇒ 1" : " ≠ " + std::to_string(index.back()) + " ⇒ 0");
}

} // namespace tfx
