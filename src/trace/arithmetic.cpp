#include "trace/arithmetic.hpp"

#include "core/broadcast.hpp"
#include "core/number.hpp"
#include "trace/labels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

/// Reads inputs of one step and writes numbers: what every operation below needs.
class Reader {
public:
  Reader(const Trace& trace, const Step& step, int precision)
      : trace_(trace), step_(step), precision_(precision) {}

  const Step& input(std::size_t i) const { return *trace_.find(step_.how.inputs[i]); }
  const Shape& shape(std::size_t i) const { return input(i).value.shape; }
  CellRef cell(std::size_t i, Index index) const {
    const double value = input(i).value.at(index);
    return {input(i).name, std::move(index), value};
  }
  CellRef broadcast_cell(std::size_t i, const Index& index) const {
    return cell(i, broadcast_index(shape(i), index));
  }

  /// A negative factor is put in parentheses, so that the text can be typed into a calculator.
  std::string number(double value) const {
    const std::string text = format_number(value, precision_);
    return text.front() == '-' ? "(" + text + ")" : text;
  }
  std::string plain(double value) const { return format_number(value, precision_); }
  bool skips_zeros() const { return step_.how.op == Op::weighted_sum; }

private:
  const Trace& trace_;
  const Step& step_;
  int precision_;
};

// The index of a matrix's cell (row, column) with the leading axes of `index`, broadcast to an input's shape.
Index matrix_cell(const Shape& shape, const Index& index, std::size_t row, std::size_t column) {
  Index stack(index.begin(), index.end() - 2);
  const Shape own(shape.begin(), shape.end() - 2);
  Index result = broadcast_index(own, stack);
  result.push_back(row);
  result.push_back(column);
  return result;
}

// "K[k3, :]": a whole row in the formula line.
std::string row_name(const Step& step, const Index& cell) {
  const std::string full = cell_name(step, cell);
  return full.substr(0, full.rfind(", ") == std::string::npos ? full.size() - 1 : full.rfind(", ") + 1) +
         (full.rfind(", ") == std::string::npos ? "]" : " :]");
}

std::string column_name(const Step& step, const Index& cell) {
  const auto& labels = step.labels.back();
  return step.name + "[:, " + (labels.empty() ? std::to_string(cell.back()) : labels[cell.back()]) + "]";
}

void single(Explanation& e, std::string text, std::vector<CellRef> reads) {
  e.terms = {Term{std::move(text), e.cell.value, std::move(reads)}};
}

void explain_product(Explanation& e, const Reader& read, const Index& index, bool transposed, bool bias) {
  const std::size_t row = index[index.size() - 2], column = index.back();
  const std::size_t inner = read.shape(0).back();
  for (std::size_t k = 0; k < inner; ++k) {
    const CellRef a = read.cell(0, matrix_cell(read.shape(0), index, row, k));
    const CellRef b = read.cell(1, transposed ? matrix_cell(read.shape(1), index, column, k)
                                              : matrix_cell(read.shape(1), index, k, column));
    if (a.value == 0 && !std::isfinite(b.value) && read.skips_zeros())
      e.terms.push_back({"0", 0, {a}}); // what has no weight is not read
    else
      e.terms.push_back({read.number(a.value) + "·" + read.number(b.value), a.value * b.value, {a, b}});
  }
  const Index first_a = matrix_cell(read.shape(0), index, row, 0);
  const Index first_b = transposed ? matrix_cell(read.shape(1), index, column, 0)
                                   : matrix_cell(read.shape(1), index, 0, column);
  e.formula = "Σ " + row_name(read.input(0), first_a) + "·" +
              (transposed ? row_name(read.input(1), first_b) : column_name(read.input(1), first_b));
  if (bias) {
    const CellRef b = read.cell(2, {column});
    e.terms.push_back({read.number(b.value), b.value, {b}});
    e.formula += " + " + cell_name(read.input(2), {column});
  }
}

// Terms f(x) over the row that holds the cell.
template <class Text, class Value>
void over_row(Explanation& e, const Reader& read, const Index& row, Text text, Value value) {
  Index at = row;
  for (std::size_t k = 0; k < read.shape(0).back(); ++k) {
    at.back() = k;
    const CellRef x = read.cell(0, at);
    e.terms.push_back({text(x.value), value(x.value), {x}});
  }
  e.formula += row_name(read.input(0), at);
}

void explain_softmax(Explanation& e, const Reader& read, const Index& index, double fill) {
  Index at = index;
  double largest = -std::numeric_limits<double>::infinity();
  for (at.back() = 0; at.back() < read.shape(0).back(); ++at.back())
    largest = std::max(largest, read.cell(0, at).value);
  e.formula = "softmax of ";
  const auto power = [&](double x) { return "exp(" + read.plain(x) + " - " + read.number(largest) + ")"; };
  if (std::isinf(largest)) {
    over_row(
        e, read, index, [&](double x) { return read.plain(x); }, [](double) { return 0.0; });
    e.rule = "max = -inf ⇒ " + read.plain(fill);
    return;
  }
  over_row(e, read, index, power, [&](double x) { return std::exp(x - largest); });
  e.before = power(read.cell(0, index).value) + " / (";
  e.after = ")";
}

void explain_row(Explanation& e, const Reader& read, const Index& index, Op op) {
  Index row = index;
  if (op == Op::row_norm) row.push_back(0);
  const auto plain = [&](double x) { return read.number(x); };
  switch (op) {
  case Op::row_max:
    e.formula = "max ";
    e.before = "max(", e.between = ", ", e.after = ")";
    over_row(
        e, read, row, [&](double x) { return read.plain(x); }, [](double x) { return x; });
    if (std::all_of(e.terms.begin(), e.terms.end(),
                    [](const Term& t) { return std::isinf(t.value) && t.value < 0; }))
      e.rule = "max = -inf ⇒ 0";
    break;
  case Op::row_sum:
    e.formula = "Σ ";
    over_row(e, read, row, plain, [](double x) { return x; });
    break;
  case Op::row_norm:
    e.formula = "√Σ x² of ";
    e.before = "sqrt(", e.after = ")";
    over_row(
        e, read, row, [&](double x) { return read.number(x) + "^2"; }, [](double x) { return x * x; });
    break;
  case Op::entropy:
    e.formula = "−Σ w·ln w of ";
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
  e.between = ", ";
  e.formula = "argmax of ";
  over_row(
      e, read, index, [&](double x) { return read.plain(x); }, [](double x) { return x; });
  e.rule = "argmax = " + std::to_string(best) +
           (best == index.back() ? " ⇒ 1" : " ≠ " + std::to_string(index.back()) + " ⇒ 0");
}

void explain_elementwise(Explanation& e, const Reader& read, const Index& index, const How& how) {
  const CellRef a = read.broadcast_cell(0, index);
  e.formula = cell_name(read.input(0), a.index);
  switch (how.op) {
  case Op::divide_by:
    single(e, read.plain(a.value) + " / " + read.number(how.constant), {a});
    e.formula += " / " + how.constant_text;
    return;
  case Op::exp:
    single(e, "exp(" + read.plain(a.value) + ")", {a});
    e.formula = "exp " + e.formula;
    return;
  default: break;
  }
  const CellRef b = read.broadcast_cell(1, index);
  const std::string name = cell_name(read.input(1), b.index);
  switch (how.op) {
  case Op::add:
    e.terms = {{read.plain(a.value), a.value, {a}}, {read.number(b.value), b.value, {b}}};
    e.formula += " + " + name;
    if (!how.constant_text.empty()) e.rule = "in " + how.constant_text;
    break;
  case Op::subtract:
    single(e, read.plain(a.value) + " - " + read.number(b.value), {a, b});
    e.formula += " − " + name;
    break;
  case Op::normalize:
    single(e, read.plain(a.value) + " / " + read.number(b.value), {a, b});
    if (b.value == 0) e.rule = name + " = 0 ⇒ " + read.plain(how.constant);
    e.formula += " / " + name;
    break;
  case Op::mask_fill:
    if (b.value == 0) { // what stands there is not read
      single(e, "-inf", {b});
      e.rule = name + " = 0 ⇒ -inf";
      e.formula = "−∞";
    } else {
      single(e, read.plain(a.value), {a, b});
      e.rule = name + " = 1 ⇒ " + e.formula;
    }
    break;
  default: break;
  }
}

void explain_distance(Explanation& e, const Reader& read, const Index& index) {
  const std::size_t i = index[index.size() - 2], j = index.back();
  e.before = "sqrt(", e.after = ")";
  for (std::size_t k = 0; k < read.shape(0).back(); ++k) {
    const CellRef a = read.cell(0, matrix_cell(read.shape(0), index, i, k));
    const CellRef b = read.cell(0, matrix_cell(read.shape(0), index, j, k));
    const double d = a.value - b.value;
    e.terms.push_back({"(" + read.plain(a.value) + " - " + read.number(b.value) + ")^2", d * d, {a, b}});
  }
  e.formula = "√Σ (" + row_name(read.input(0), matrix_cell(read.shape(0), index, i, 0)) + " − " +
              row_name(read.input(0), matrix_cell(read.shape(0), index, j, 0)) + ")²";
}

void explain_cosine(Explanation& e, const Reader& read, const Index& index) {
  Index row(index.begin(), index.end() - 1), column = row;
  column.back() = index.back();
  const CellRef dot = read.cell(0, index), a = read.cell(1, row), b = read.cell(1, column);
  single(e, read.plain(dot.value) + " / (" + read.number(a.value) + "·" + read.number(b.value) + ")",
         {dot, a, b});
  if (a.value == 0 || b.value == 0) e.rule = "‖·‖ = 0 ⇒ 0";
  e.formula = cell_name(read.input(0), dot.index) + " / (" + cell_name(read.input(1), a.index) + "·" +
              cell_name(read.input(1), b.index) + ")";
}

// The source cell of an operation that only moves cells.
Index moved_from(const Reader& read, const Index& index, const How& how) {
  Index from;
  if (how.op == Op::split_heads) {
    const std::size_t width = read.shape(0).back() / static_cast<std::size_t>(how.constant);
    from.assign(index.begin(), index.end() - 3);
    from.push_back(index[index.size() - 2]);
    from.push_back(index[index.size() - 3] * width + index.back());
  } else {
    const std::size_t width = read.shape(0).back();
    from.assign(index.begin(), index.end() - 2);
    from.push_back(index.back() / width);
    from.push_back(index[index.size() - 2]);
    from.push_back(index.back() % width);
  }
  return from;
}

void explain_moved(Explanation& e, const Reader& read, const Index& index, const How& how) {
  const CellRef source = read.cell(0, moved_from(read, index, how));
  single(e, read.plain(source.value), {source});
  e.formula = cell_name(read.input(0), source.index);
}

void explain_gather(Explanation& e, const Reader& read, const Index& index) {
  const CellRef id = read.cell(1, Index(index.begin(), index.end() - 1));
  const CellRef source = read.cell(0, {static_cast<std::size_t>(id.value), index.back()});
  single(e, read.plain(source.value), {source, id});
  e.formula = cell_name(read.input(0), source.index) + ", " + cell_name(read.input(1), id.index) + " = " +
              read.plain(id.value);
}

void explain_mask(Explanation& e, const Reader& read, const Index& index, const Step& step) {
  const std::string i = std::to_string(index[index.size() - 2]), j = std::to_string(index.back());
  switch (step.how.op) {
  case Op::causal_mask:
    e.formula = "j ≤ i";
    e.rule =
        "j = " + j + (e.cell.value == 1 ? " ≤ i = " : " > i = ") + i + (e.cell.value == 1 ? " ⇒ 1" : " ⇒ 0");
    break;
  case Op::padding_mask: {
    const std::size_t visible = step.value.shape.back() - static_cast<std::size_t>(step.how.constant);
    e.formula = "j < n − pad";
    e.rule = "j = " + j + (e.cell.value == 1 ? " < " : " ≥ ") + std::to_string(visible) +
             (e.cell.value == 1 ? " ⇒ 1" : " ⇒ 0");
    break;
  }
  default:
    e.between = "·";
    for (std::size_t k = 0; k < step.how.inputs.size(); ++k) {
      const CellRef a = read.broadcast_cell(k, index);
      e.terms.push_back({read.plain(a.value), a.value, {a}});
      e.formula += (k ? " ∧ " : "") + cell_name(read.input(k), a.index);
    }
  }
}

} // namespace

Explanation explain_cell(const Trace& trace, const Step& step, const Index& index, int precision) {
  Explanation e;
  e.cell = {step.name, index, step.value.at(index)};
  e.label = cell_name(step, index);
  const Reader read(trace, step, precision);
  switch (step.how.op) {
  case Op::given: e.formula = step.formula; break;
  case Op::weighted_sum:
  case Op::matmul: explain_product(e, read, index, false, step.how.inputs.size() == 3); break;
  case Op::matmul_transposed: explain_product(e, read, index, true, false); break;
  case Op::softmax: explain_softmax(e, read, index, step.how.constant); break;
  case Op::row_max:
  case Op::row_sum:
  case Op::row_norm:
  case Op::entropy: explain_row(e, read, index, step.how.op); break;
  case Op::first_max: explain_first_max(e, read, index); break;
  case Op::distance: explain_distance(e, read, index); break;
  case Op::cosine: explain_cosine(e, read, index); break;
  case Op::split_heads:
  case Op::merge_heads: explain_moved(e, read, index, step.how); break;
  case Op::gather: explain_gather(e, read, index); break;
  case Op::causal_mask:
  case Op::padding_mask:
  case Op::both: explain_mask(e, read, index, step); break;
  default: explain_elementwise(e, read, index, step.how);
  }
  return e;
}

} // namespace tfx
