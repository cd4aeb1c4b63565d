#include "trace/gradient_arithmetic.hpp"

#include "trace/labels.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

// Calls visit(index) for every cell of `shape` that falls on `index` of a result of shape `result`: axes
// align at the right, and an axis that the result has not or has once is summed over.
template <class Visit>
void for_each_source(const Shape& shape, const Shape& result, const Index& index, Visit visit) {
  const std::size_t rank = shape.size(), missing = rank > result.size() ? rank - result.size() : 0;
  Index first(rank, 0), count(rank, 1);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const bool summed = axis < missing || result[axis + result.size() - rank] == 1;
    if (summed)
      count[axis] = shape[axis];
    else if (shape[axis] != 1)
      first[axis] = index[axis + result.size() - rank];
  }
  for (std::size_t i = 0; i < element_count(count); ++i) {
    Index at = index_of(count, i);
    for (std::size_t axis = 0; axis < rank; ++axis) at[axis] += first[axis];
    visit(at);
  }
}

// The cells of input `i` along the row that holds `index`.
std::vector<CellRef> row_of(const Reader& read, std::size_t i, const Index& index) {
  std::vector<CellRef> cells;
  Index at = index;
  for (at.back() = 0; at.back() < read.shape(i).back(); ++at.back()) cells.push_back(read.cell(i, at));
  return cells;
}

double mean_of(const std::vector<CellRef>& row) {
  double sum = 0;
  for (const CellRef& x : row) sum += x.value;
  return sum / static_cast<double>(row.size());
}

std::string name(const Reader& read, std::size_t i, const CellRef& cell) {
  return cell_name(read.input(i), cell.index);
}

void explain_sum_over(Explanation& e, const Reader& read, const Index& index, const Step& step) {
  const bool product = step.how.inputs.size() == 2;
  for_each_source(read.shape(0), step.value.shape, index, [&](const Index& at) {
    const CellRef a = read.cell(0, at);
    if (!product) return e.terms.push_back({read.number(a.value), a.value, {a}});
    const CellRef b = read.broadcast_cell(1, at);
    e.terms.push_back({read.number(a.value) + "·" + read.number(b.value), a.value * b.value, {a, b}});
  });
  const bool one = e.terms.size() == 1;
  e.formula = one ? name(read, 0, e.terms[0].reads[0]) : "Σ " + read.input(0).name;
  if (product) e.formula += "·" + (one ? name(read, 1, e.terms[0].reads[1]) : read.input(1).name);
  if (step.how.constant == -1) e.formula = "−" + e.formula, e.before = "-(", e.after = ")";
}

void explain_transposed_product(Explanation& e, const Reader& read, const Index& index, const Step& step) {
  const Shape &a = read.shape(0), &b = read.shape(1);
  const std::size_t row = index[index.size() - 2], column = index.back();
  // One product for every matrix of the stack that the result has not.
  const Shape stack =
      broadcast_shape(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2), "products");
  const Shape& result = step.value.shape;
  for_each_source(
      stack, Shape(result.begin(), result.end() - 2), Index(index.begin(), index.end() - 2), [&](Index at) {
        at.resize(at.size() + 2);
        for (std::size_t k = 0; k < a[a.size() - 2]; ++k) {
          const CellRef x = read.cell(0, matrix_cell(a, at, k, row)),
                        y = read.cell(1, matrix_cell(b, at, k, column));
          e.terms.push_back({read.number(x.value) + "·" + read.number(y.value), x.value * y.value, {x, y}});
        }
      });
  e.formula = "Σ " + column_name(read.input(0), e.terms[0].reads[0].index) + "·" +
              column_name(read.input(1), e.terms[0].reads[1].index);
}

void explain_scatter(Explanation& e, const Reader& read, const Index& index) {
  const Shape& ids = read.shape(1);
  for (std::size_t i = 0; i < read.input(1).value.size(); ++i) {
    Index at = index_of(ids, i);
    const CellRef id = read.cell(1, at);
    if (id.value != static_cast<double>(index[0])) continue;
    at.push_back(index[1]);
    const CellRef source = read.cell(0, at);
    e.terms.push_back({read.number(source.value), source.value, {source, id}});
  }
  const std::string condition = read.input(1).name + " = " + std::to_string(index[0]);
  e.formula = "Σ " + read.input(0).name + "[" + condition + ", " + std::to_string(index[1]) + "]";
  if (e.terms.empty()) single(e, "0", {}), decide(e, "∄ " + condition, read);
}

void explain_softmax_gradient(Explanation& e, const Reader& read, const Index& index) {
  const CellRef own = read.cell(0, index), weight = read.cell(1, index);
  const std::string w = name(read, 1, weight);
  e.formula = w + "·(" + name(read, 0, own) + " − Σ " + row_name(read.input(0), index) + "·" +
              row_name(read.input(1), index) + ")";
  if (weight.value == 0) return single(e, "0", {weight}), decide(e, w + " = 0", read);
  const std::vector<CellRef> upper = row_of(read, 0, index), weights = row_of(read, 1, index);
  for (std::size_t k = 0; k < upper.size(); ++k) {
    const double a = upper[k].value, b = weights[k].value;
    if (b == 0)
      e.terms.push_back({"0", 0, {weights[k]}}); // what has no weight is not read
    else
      e.terms.push_back({read.number(a) + "·" + read.number(b), a * b, {upper[k], weights[k]}});
  }
  e.before = read.number(weight.value) + "·(" + read.plain(own.value) + " - (", e.after = "))";
}

void explain_log_softmax_gradient(Explanation& e, const Reader& read, const Index& index) {
  const CellRef own = read.cell(0, index), log = read.cell(1, index);
  for (const CellRef& x : row_of(read, 0, index)) e.terms.push_back({read.number(x.value), x.value, {x}});
  e.terms[index.back()].reads.push_back(log);
  e.formula = name(read, 0, own) + " − e^" + name(read, 1, log) + "·Σ " + row_name(read.input(0), index);
  e.before = read.plain(own.value) + " - exp(" + read.plain(log.value) + ")·(", e.after = ")";
}

void explain_divisor_gradient(Explanation& e, const Reader& read, const Index& index) {
  const CellRef divisor = read.cell(2, index);
  const std::string b = name(read, 2, divisor);
  e.formula = "−Σ " + row_name(read.input(0), index) + "·" + row_name(read.input(1), index) + " / " + b;
  if (divisor.value == 0) return single(e, "0", {divisor}), decide(e, b + " = 0", read);
  const std::vector<CellRef> upper = row_of(read, 0, index), quotients = row_of(read, 1, index);
  for (std::size_t k = 0; k < upper.size(); ++k)
    e.terms.push_back({read.number(upper[k].value) + "·" + read.number(quotients[k].value),
                       upper[k].value * quotients[k].value,
                       {upper[k], quotients[k]}});
  e.terms[0].reads.push_back(divisor);
  e.before = "-(", e.after = ") / " + read.number(divisor.value);
}

void explain_moment_gradient(Explanation& e, const Reader& read, const Index& index, Op op) {
  const CellRef upper = read.broadcast_cell(0, index), x = read.cell(1, index);
  const std::vector<CellRef> row = row_of(read, 1, index);
  const std::string m = std::to_string(row.size()), off = "(" + name(read, 1, x) + " − mean)",
                    shown = "(" + read.plain(x.value) + " - " + read.number(mean_of(row)) + ")";
  if (op == Op::variance_gradient) {
    e.formula = "2·" + off + "·" + name(read, 0, upper) + " / " + m;
    return single(e, "2·" + shown + "·" + read.number(upper.value) + " / " + m, {upper, x});
  }
  const CellRef deviation = read.broadcast_cell(2, index);
  const std::string s = name(read, 2, deviation);
  e.formula = off + "·" + name(read, 0, upper) + " / ((" + m + " − 1)·" + s + ")";
  single(e,
         shown + "·" + read.number(upper.value) + " / ((" + m + " - 1)·" + read.number(deviation.value) + ")",
         {upper, x, deviation});
  if (deviation.value == 0) decide(e, s + " = 0", read);
}

// What reads one cell of each input.
void explain_gradient_cell(Explanation& e, const Reader& read, const Index& index, Op op) {
  const CellRef a = read.broadcast_cell(0, index), b = read.broadcast_cell(1, index);
  const std::string upper = name(read, 0, a), other = name(read, 1, b);
  e.formula = upper;
  switch (op) {
  case Op::mask_keep:
  case Op::relu_gradient: {
    const bool mask = op == Op::mask_keep;
    if (mask ? b.value != 0 : b.value > 0) {
      single(e, read.plain(a.value), {a, b});
      e.rule = other + (mask ? " = 1 ⇒ " : " > 0 ⇒ ") + upper;
    } else { // what stands there is not read
      single(e, "0", {b});
      decide(e, other + (mask ? " = 0" : " ≤ 0"), read);
    }
    break;
  }
  case Op::sqrt_gradient:
    single(e, read.plain(a.value) + " / (2·" + read.number(b.value) + ")", {a, b});
    e.formula += " / (2·" + other + ")";
    break;
  default: // entropy_gradient
    e.formula = "−" + upper + "·(ln " + other + " + 1)";
    single(e, "-" + read.number(a.value) + "·(ln(" + read.plain(b.value) + ") + 1)", {a, b});
    if (b.value == 0) decide(e, other + " = 0", read);
  }
}

// Where every label has all of its row, ln 1 = 0 is left out: a plain cross-entropy.
void explain_divergence(Explanation& e, const Reader& read, const Step& step) {
  const Step &logs = read.input(0), &target = read.input(1);
  const auto& shares = target.value.data;
  const bool plain = std::all_of(shares.begin(), shares.end(), [](double x) { return x == 0 || x == 1; });
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == 0) continue; // not read
    const CellRef log = read.cell(0, index_of(target.value.shape, i)), share = read.cell(1, log.index);
    const std::string x = read.number(share.value), y = read.number(log.value);
    if (plain)
      e.terms.push_back({x + "·" + y, share.value * log.value, {share, log}});
    else
      e.terms.push_back({x + "·(ln(" + read.plain(share.value) + ") - " + y + ")",
                         share.value * (std::log(share.value) - log.value),
                         {share, log}});
  }
  e.formula = (plain ? "−Σ " + target.name + "·" + logs.name
                     : "Σ " + target.name + "·(ln " + target.name + " − " + logs.name + ")") +
              " / " + step.how.constant_text;
  e.before = plain ? "-(" : "(", e.after = ") / " + step.how.constant_text;
}

void explain_mean(Explanation& e, const Reader& read, const Step& step) {
  for (std::size_t i = 0; i < step.how.inputs.size(); ++i) {
    const Step& input = read.input(i);
    const double count = static_cast<double>(input.value.size());
    for (std::size_t k = 0; k < input.value.size(); ++k) {
      const CellRef x = read.cell(i, index_of(input.value.shape, k));
      e.terms.push_back(
          {read.number(x.value) + "/" + std::to_string(input.value.size()), x.value / count, {x}});
    }
    e.formula += (i ? " + Σ " : "Σ ") + input.name + "/" + std::to_string(input.value.size());
  }
}

void explain_smoothed_target(Explanation& e, const Reader& read, const Index& index, const Step& step) {
  const CellRef label = read.cell(0, Index(index.begin(), index.end() - 1)), pad = read.cell(1, {});
  const std::string row = name(read, 0, label), column = std::to_string(index.back()),
                    rest = std::to_string(step.value.shape.back()) + " − 2";
  single(e, read.plain(e.cell.value), {label, pad});
  e.formula = "[" + row + " = " + column + "]";
  const std::string is = row + " = " + read.plain(label.value);
  if (label.value == pad.value)
    decide(e, is + " = " + pad.tensor, read);
  else if (static_cast<double>(index.back()) == pad.value)
    decide(e, column + " = " + pad.tensor, read);
  else if (static_cast<double>(index.back()) == label.value)
    decide(e, is + " ⇒ 1 − " + step.how.constant_text, read);
  else
    decide(e, is + " ≠ " + column + " ⇒ " + step.how.constant_text + "/(" + rest + ")", read);
}

} // namespace

void explain_gradient(Explanation& e, const Reader& read, const Index& index, const Step& step) {
  switch (step.how.op) {
  case Op::smoothed_target: return explain_smoothed_target(e, read, index, step);
  case Op::divergence: return explain_divergence(e, read, step);
  case Op::mean: return explain_mean(e, read, step);
  case Op::uniform:
    single(e, step.how.constant_text, {});
    e.formula = step.how.constant_text;
    return;
  case Op::total:
    for (std::size_t i = 0; i < step.how.inputs.size(); ++i) {
      const CellRef a = read.cell(i, index);
      e.terms.push_back({read.number(a.value), a.value, {a}});
      e.formula += (i ? " + " : "") + name(read, i, a);
    }
    return;
  case Op::sum_over: return explain_sum_over(e, read, index, step);
  case Op::transposed_matmul: return explain_transposed_product(e, read, index, step);
  case Op::scatter: return explain_scatter(e, read, index);
  case Op::softmax_gradient: return explain_softmax_gradient(e, read, index);
  case Op::log_softmax_gradient: return explain_log_softmax_gradient(e, read, index);
  case Op::divisor_gradient: return explain_divisor_gradient(e, read, index);
  case Op::variance_gradient:
  case Op::std_gradient: return explain_moment_gradient(e, read, index, step.how.op);
  default: return explain_gradient_cell(e, read, index, step.how.op);
  }
}

} // namespace tfx
