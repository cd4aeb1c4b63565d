#include "trace/arithmetic.hpp"

#include "trace/gradient_arithmetic.hpp"
#include "trace/labels.hpp"
#include "trace/layer_arithmetic.hpp"
#include "trace/reader.hpp"
#include "trace/row_arithmetic.hpp"

#include <cmath>

namespace tfx {

namespace {

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
    e.formula = "exp(" + e.formula + ")";
    return;
  default: break;
  }
  const CellRef b = read.broadcast_cell(1, index);
  const std::string name = cell_name(read.input(1), b.index);
  switch (how.op) {
  case Op::add:
    e.terms = {{read.plain(a.value), a.value, {a}}, {read.number(b.value), b.value, {b}}};
    e.formula += " + " + name;
    e.rule = e.reason = how.constant_text; // "float32": the sum is rounded to it
    break;
  case Op::subtract:
    single(e, read.plain(a.value) + " - " + read.number(b.value), {a, b});
    e.formula += " − " + name;
    break;
  case Op::normalize:
    single(e, read.plain(a.value) + " / " + read.number(b.value), {a, b});
    if (b.value == 0) decide(e, name + " = 0", read), e.reason = "blocked_row";
    e.formula += " / " + name;
    break;
  case Op::mask_fill:
    if (b.value == 0) { // what stands there is not read
      single(e, "-inf", {b});
      decide(e, name + " = 0", read);
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
  for (const CellRef& norm : {a, b})
    if (norm.value == 0) decide(e, cell_name(read.input(1), norm.index) + " = 0", read);
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
  // Rows are counted through all leading axes.
  Index row = index_of({read.shape(0).begin(), read.shape(0).end() - 1}, static_cast<std::size_t>(id.value));
  row.push_back(index.back());
  const CellRef source = read.cell(0, row);
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
  case Op::softmax: explain_softmax(e, read, index); break;
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
  case Op::row_mean:
  case Op::row_variance:
  case Op::row_std: explain_moment(e, read, index, step.how.op); break;
  case Op::log_softmax: explain_log_softmax(e, read, index); break;
  case Op::angle: explain_angle(e, read, index, step.how); break;
  case Op::one_hot: explain_one_hot(e, read, index); break;
  case Op::sqrt:
  case Op::add_constant:
  case Op::multiply_by:
  case Op::multiply:
  case Op::relu:
  case Op::sin_cos: explain_layer_cell(e, read, index, step.how); break;
  case Op::smoothed_target:
  case Op::divergence:
  case Op::mean:
  case Op::uniform:
  case Op::total:
  case Op::sum_over:
  case Op::transposed_matmul:
  case Op::mask_keep:
  case Op::scatter:
  case Op::softmax_gradient:
  case Op::log_softmax_gradient:
  case Op::entropy_gradient:
  case Op::relu_gradient:
  case Op::divisor_gradient:
  case Op::sqrt_gradient:
  case Op::variance_gradient:
  case Op::std_gradient: explain_gradient(e, read, index, step); break;
  default: explain_elementwise(e, read, index, step.how);
  }
  return e;
}

} // namespace tfx
