#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/backward.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;

void explain_row_max(Explanation& e, const CellReader& read) {
  e.formula = "max(" + read.row_name(0, read.index) + ")";
  e.before = "max(", e.between = ", ", e.after = ")";
  for (const CellRef& x : read.row_of(0)) e.terms.push_back({read.plain(x.value), x.value, {x}});
  if (std::ranges::all_of(e.terms, [](const Term& t) { return std::isinf(t.value) && t.value < 0; }))
    decide_masked_row(e, read, read.index, e.formula + " = −∞");
}

void explain_first_max(Explanation& e, const CellReader& read) {
  const std::vector<CellRef> row = read.row_of(0);
  const auto best =
      static_cast<std::size_t>(std::ranges::max_element(row, {}, &CellRef::value) - row.begin());
  const std::string column = std::to_string(read.column()), is_mine = " = " + column + "]";
  e.before = "[argmax(", e.between = ", ", e.after = ")" + is_mine;
  e.formula = "[argmax(" + read.row_name(0, read.index) + ")" + is_mine;
  for (const CellRef& x : row) e.terms.push_back({read.plain(x.value), x.value, {x}});
  e.rule = "argmax = " + std::to_string(best) + (best == read.column() ? " ⇒ 1" : " ≠ " + column + " ⇒ 0");
}

void explain_entropy(Explanation& e, const CellReader& read) {
  e.formula = "−Σ w·ln w, w = " + read.row_name(0, read.index);
  e.before = "-(", e.after = ")";
  for (const CellRef& w : read.row_of(0)) {
    const double x = w.value;
    if (x == 0)
      e.terms.push_back({"0", 0, {w}});
    else
      e.terms.push_back({read.factor(x) + "·ln(" + read.plain(x) + ")", x * std::log(x), {w}});
  }
}

void explain_entropy_gradient(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0), b = read.here(1);
  const std::string weight = read.name(1, b);
  e.formula = "−" + read.name(0, a) + "·(ln " + weight + " + 1)";
  e.set_single("-" + read.factor(a.value) + "·(ln(" + read.plain(b.value) + ") + 1)", {a, b});
  if (b.value == 0) read.decide(e, weight + " = 0");
}

void explain_row_norm(Explanation& e, const CellReader& read) {
  Index row = read.index;
  row.push_back(0);
  e.formula = "√Σ " + read.row_name(0, row) + "²";
  e.before = "sqrt(", e.after = ")";
  for (const CellRef& x : read.row_of(0, row))
    e.terms.push_back({read.factor(x.value) + "^2", x.value * x.value, {x}});
}

void explain_distance(Explanation& e, const CellReader& read) {
  const std::size_t i = read.row(), j = read.column();
  e.before = "sqrt(", e.after = ")";
  for (std::size_t k = 0; k < read.shape(0).back(); ++k) {
    const CellRef a = read.in_matrix(0, i, k), b = read.in_matrix(0, j, k);
    const double d = a.value - b.value;
    e.terms.push_back({"(" + read.plain(a.value) + " - " + read.factor(b.value) + ")^2", d * d, {a, b}});
  }
  e.formula = "√Σ (" + read.row_name(0, matrix_cell(read.shape(0), read.index, i, 0)) + " − " +
              read.row_name(0, matrix_cell(read.shape(0), read.index, j, 0)) + ")²";
}

void explain_cosine(Explanation& e, const CellReader& read) {
  Index row(read.index.begin(), read.index.end() - 1), column = row;
  column.back() = read.column();
  const CellRef dot = read.cell(0, read.index), a = read.cell(1, row), b = read.cell(1, column);
  e.set_single(read.plain(dot.value) + " / (" + read.product(a.value, b.value) + ")", {dot, a, b});
  for (const CellRef& norm : {a, b})
    if (norm.value == 0) read.decide(e, read.name(1, norm) + " = 0");
  e.formula = read.name(0, dot) + " / (" + read.name(1, a) + "·" + read.name(1, b) + ")";
}

Tensor norms_of(const Arguments& in) {
  Tensor norms = for_each_matrix(in[0], [](const mat& X) { return mat(page::words(X).norms); });
  norms.shape.pop_back();
  return norms;
}

// Of dot products alone: the norms are their own input, so that another matrix may stand in for them.
Tensor cosines_of(const Arguments& in) {
  const std::size_t n = in[0].shape.back();
  Tensor cosines = in[0];
  for (std::size_t i = 0; i < cosines.size(); ++i) {
    const std::size_t batch = i / (n * n), row = i / n % n, column = i % n;
    const double lengths = in[1].data[batch * n + row] * in[1].data[batch * n + column];
    cosines.data[i] = lengths == 0 ? 0 : cosines.data[i] / lengths;
  }
  return cosines;
}

// A norm for every row of a square of dot products.
Shape cosine_shape(const Arguments& in) {
  require_axes(in, 0, 2);
  const Shape& dots = in[0].shape;
  const std::size_t n = dots[dots.size() - 2];
  if (dots.back() != n) refuse_shapes(with_shape(in, 0), n, dots.back());
  if (in[1].size() != in[0].size() / n)
    refuse_shapes(with_shape(in, 0) + ", " + with_shape(in, 1), in[0].size() / n, in[1].size());
  return dots;
}

Shape square_shape(const Arguments& in) {
  require_axes(in, 0, 2);
  Shape shape = in[0].shape;
  shape.back() = shape[shape.size() - 2];
  return shape;
}

} // namespace

void decide_masked_row(Explanation& e, const CellReader& read, const Index& row,
                       const std::string& condition) {
  e.terms.clear();
  for (const CellRef& cell : read.row_of(0, row))
    e.terms.push_back({read.plain(cell.value), cell.value, {cell}});
  read.decide(e, condition);
  e.reason = "blocked_row";
}

constinit const Op op::row_max = {
    .name = "row_max",
    .formula = [](const Operation& o) { return "rowmax(" + o.inputs[0] + ")"; },
    .shape = one_column,
    .value =
        [](const Arguments& in) {
          return for_each_matrix(in[0], [](const mat& S) { return mat(page::softmax(S).row_max); });
        },
    .rows = {0, 1},
    .work =
        [](const Computed& c) {
          return Work{0, c.input_cells()};
        },
    .explain = explain_row_max,
    .terms = row_terms,
    .shape_hint = "row"};

constinit const Op op::first_max = {
    .name = "first_max",
    .formula = [](const Operation& o) { return "onehot(argmax(" + o.inputs[0] + "))"; },
    .shape = same_shape,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], page::first_max); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, c.input_cells()};
        },
    .explain = explain_first_max,
    .terms = row_terms,
    .marks = true};

constinit const Op op::entropy = {.name = "entropy",
                                  .formula = [](const Operation&) { return std::string("−Σ w·ln w"); },
                                  .shape = one_column,
                                  .value =
                                      [](const Arguments& in) {
                                        return for_each_matrix(
                                            in[0], [](const mat& W) { return mat(page::entropy(W)); });
                                      },
                                  .rows = {0, 1},
                                  .work =
                                      [](const Computed& c) {
                                        return Work{0, 3 * c.input_cells()};
                                      },
                                  .explain = explain_entropy,
                                  .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
                                    const std::string d = gradient_name(c.result.name), &W = c.name(0);
                                    return Vjp{"−" + d + "·(ln " + W + " + 1)", op::entropy_gradient(d, W)};
                                  },
                                  .corner = Corner::near_zero,
                                  .terms = row_terms,
                                  .shape_hint = "row"};

constinit const Op op::entropy_gradient = {
    .name = "entropy_gradient",
    .formula = [](const Operation& o) { return "−" + o.inputs[0] + "·(ln " + o.inputs[1] + " + 1)"; },
    .shape = along_rows,
    .value =
        [](const Arguments& in) {
          return for_each_matrix(
              in[0], in[1], [](const mat& d, const mat& W) { return page::entropy_backward(d.col(0), W); });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 3 * c.cells()};
        },
    .explain = explain_entropy_gradient};

constinit const Op op::row_norm = {
    .name = "row_norm",
    .formula = [](const Operation& o) { return "‖" + o.inputs[0] + "‖ = √Σ x²"; },
    .shape = [](const Arguments& in) { return Shape(in[0].shape.begin(), in[0].shape.end() - 1); },
    .value = norms_of,
    .columns = {0, 1},
    .work =
        [](const Computed& c) {
          return Work{0, 2 * c.input_cells() + c.cells()};
        },
    .explain = explain_row_norm,
    .terms = row_terms,
    .shape_hint = "row"};

constinit const Op op::cosine = {
    .name = "cosine",
    .formula = [](const Operation&) { return std::string("x_i·x_j / (‖x_i‖·‖x_j‖)"); },
    .shape = cosine_shape,
    .value = cosines_of,
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 2 * c.cells()};
        },
    .explain = explain_cosine};

constinit const Op op::distance = {.name = "distance",
                                   .formula = [](const Operation&) { return std::string("‖x_i − x_j‖"); },
                                   .shape = square_shape,
                                   .value =
                                       [](const Arguments& in) {
                                         return for_each_matrix(
                                             in[0], [](const mat& X) { return page::words(X).distances; });
                                       },
                                   .rows = {0, 1},
                                   .columns = {0, 1},
                                   .work =
                                       [](const Computed& c) {
                                         return Work{0, (3 * c.input_width() + 1) * c.cells()};
                                       },
                                   .explain = explain_distance,
                                   .terms = row_terms,
                                   .shape_hint = "transposed"};

} // namespace tfx
