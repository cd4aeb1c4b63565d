#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/formulas.hpp"

#include <cmath>

namespace tfx {

namespace {

using arma::mat;

Shape turned(Shape shape) {
  std::swap(shape[shape.size() - 2], shape.back());
  return shape;
}

// A·Bᵀ, and a bias of as many numbers as the product has columns: `b` is B's shape, or that of Bᵀ.
Shape product_shape(const Arguments& in, const Shape& b, const std::string& B) {
  const Shape& a = in[0].shape;
  if (a.back() != b[b.size() - 2])
    refuse_shapes(with_shape(in, 0) + " · " + with_shape(B, b), a.back(), b[b.size() - 2]);
  if (in.size() == 3 && in[2].size() != b.back())
    refuse_shapes(with_shape(B, b) + " + " + with_shape(in, 2), b.back(), in[2].size());
  Shape shape = common_stack(in, 2);
  shape.insert(shape.end(), {a[a.size() - 2], b.back()});
  return shape;
}

Shape plain_shape(const Arguments& in) {
  common_stack(in, 2);
  return product_shape(in, in[1].shape, in.operation().inputs[1]);
}

Shape transposed_shape(const Arguments& in) {
  common_stack(in, 2);
  return product_shape(in, turned(in[1].shape), in.operation().inputs[1] + "ᵀ");
}

// Aᵀ·B, or what it is summed onto.
Shape summed_shape(const Arguments& in) {
  Shape product = common_stack(in, 2);
  require_same_rows(in, 0, 1);
  const Shape matrix_shape = {in[0].shape.back(), in[1].shape.back()};
  product.insert(product.end(), matrix_shape.begin(), matrix_shape.end());
  const Operation& o = in.operation();
  if (o.shape.empty()) return product;
  fitting(with_shape(o.inputs[0] + "ᵀ·" + o.inputs[1], matrix_shape) + ", " + to_string(o.shape),
          matrix_shape, o.shape);
  return o.shape;
}

std::string plain_formula(const Operation& o) {
  return o.inputs[0] + "·" + o.inputs[1] + (o.inputs.size() == 3 ? " + " + o.inputs[2] : "");
}

Work inner_products(const Computed& c) {
  const std::size_t macs = c.cells() * c.input_width();
  return {macs, 2 * macs + (c.inputs.size() == 3 ? c.cells() : 0)};
}

// Σ over k of A[row, k] times B[k, column], or B[column, k]; what has no weight is not read.
void explain_product(Explanation& e, const CellReader& read) {
  const bool transposed = read.operation().is(op::matmul_transposed),
             skips_zeros = read.operation().is(op::weighted_sum);
  const auto b_at = [&](std::size_t k) {
    return transposed ? read.in_matrix(1, read.column(), k) : read.in_matrix(1, k, read.column());
  };
  for (std::size_t k = 0; k < read.shape(0).back(); ++k) {
    const CellRef a = read.in_matrix(0, read.row(), k), b = b_at(k);
    if (skips_zeros && a.value == 0 && !std::isfinite(b.value))
      e.terms.push_back({"0", 0, {a}});
    else
      e.terms.push_back(read.product_term(a, b));
  }
  const Index first_a = matrix_cell(read.shape(0), read.index, read.row(), 0), first_b = b_at(0).index;
  e.formula = "Σ " + read.row_name(0, first_a) + "·" +
              (transposed ? read.row_name(1, first_b) : read.column_name(1, first_b));
  if (read.inputs() == 3) {
    const CellRef bias = read.cell(2, {read.column()});
    e.terms.push_back({read.factor(bias.value), bias.value, {bias}});
    e.formula += " + " + read.name(2, bias);
  }
}

// Of A·B and of weights·B: dA = d·Bᵀ, dB = Aᵀ·d, and a bias is added to every row.
std::optional<Vjp> product_vjp(const Computed& c, std::size_t i) {
  const std::string d = gradient_name(c.result.name), &A = c.name(0), &B = c.name(1);
  if (i == 0) return Vjp{d + "·" + B + "ᵀ", op::matmul_transposed(d, B)};
  if (i == 1) return Vjp{A + "ᵀ·" + d, op::transposed_matmul(A, d).onto(c.shape(1))};
  return Vjp{"colsum(" + d + ")", op::sum_over(d).with(1, "1").onto(c.shape(2))};
}

void explain_transposed_product(Explanation& e, const CellReader& read) {
  const Shape &a = read.shape(0), &b = read.shape(1), &result = read.result_shape();
  // One product for every matrix of the stack that the result has not.
  const Shape stack =
      broadcast_shape(Shape(a.begin(), a.end() - 2), Shape(b.begin(), b.end() - 2), said("products"));
  for_each_source(stack, Shape(result.begin(), result.end() - 2),
                  Index(read.index.begin(), read.index.end() - 2), [&](Index at) {
                    at.resize(at.size() + 2);
                    for (std::size_t k = 0; k < a[a.size() - 2]; ++k)
                      e.terms.push_back(
                          read.product_term(read.cell(0, matrix_cell(a, at, k, read.row())),
                                            read.cell(1, matrix_cell(b, at, k, read.column()))));
                  });
  e.formula = "Σ " + read.column_name(0, e.terms[0].reads[0].index) + "·" +
              read.column_name(1, e.terms[0].reads[1].index);
}

} // namespace

constinit const Op op::matmul = {.name = "matmul",
                                 .formula = plain_formula,
                                 .shape = plain_shape,
                                 .value =
                                     [](const Arguments& in) {
                                       if (in.size() == 2)
                                         return for_each_matrix(in[0], in[1], [](const mat& X, const mat& W) {
                                           return page::project(X, W);
                                         });
                                       const arma::rowvec b(in[2].data);
                                       return for_each_matrix(in[0], in[1], [&](const mat& X, const mat& W) {
                                         return page::project(X, W, b);
                                       });
                                     },
                                 .rows = {0, 1},
                                 .columns = {1, 0},
                                 .work = inner_products,
                                 .explain = explain_product,
                                 .vjp = product_vjp,
                                 .terms = row_terms,
                                 .shape_hint = "product",
                                 .layout = ProductLayout::plain};

constinit const Op op::weighted_sum = {
    .name = "weighted_sum",
    .formula = plain_formula,
    .shape = plain_shape,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::weighted_sum); },
    .rows = {0, 1},
    .columns = {1, 0},
    .work = inner_products,
    .explain = explain_product,
    .vjp = product_vjp,
    .terms = row_terms,
    .shape_hint = "product",
    .layout = ProductLayout::plain};

constinit const Op op::matmul_transposed = {
    .name = "matmul_transposed",
    .formula =
        [](const Operation& o) {
          return o.inputs[0] + "·" + o.inputs[1] + "ᵀ" + (o.inputs.size() == 3 ? " + " + o.inputs[2] : "");
        },
    .shape = transposed_shape,
    .value =
        [](const Arguments& in) {
          if (&in[0] ==
              &in[1]) // Armadillo computes one half of a symmetric product, and the page's words do too
            return for_each_matrix(in[0], [](const mat& X) { return page::words(X).dots; });
          if (in.size() == 2) return for_each_matrix(in[0], in[1], page::scores);
          const arma::rowvec b(in[2].data);
          return for_each_matrix(in[0], in[1], [&](const mat& X, const mat& W) {
            const mat Y = page::scores(X, W);
            return mat(Y.each_row() + b);
          });
        },
    .rows = {0, 1},
    .columns = {1, 1},
    .work = inner_products,
    .explain = explain_product,
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name);
      if (i == 2) return Vjp{"colsum(" + d + ")", op::sum_over(d).with(1, "1").onto(c.shape(2))};
      if (i == 0) return Vjp{d + "·" + c.name(1), op::weighted_sum(d, c.name(1))};
      return Vjp{d + "ᵀ·" + c.name(0), op::transposed_matmul(d, c.name(0)).onto(c.shape(1))};
    },
    .terms = row_terms,
    .shape_hint = "transposed",
    .layout = ProductLayout::transposed,
    .rows_compare = true};

constinit const Op op::transposed_matmul = {
    .name = "transposed_matmul",
    .formula = [](const Operation& o) { return o.inputs[0] + "ᵀ·" + o.inputs[1]; },
    .shape = summed_shape,
    .value =
        [](const Arguments& in) {
          Tensor product =
              for_each_matrix(in[0], in[1], [](const mat& a, const mat& b) { return mat(a.t() * b); });
          return in.operation().shape.empty() ? product : sum_onto(product, in.operation().shape);
        },
    .rows = {0, 0},
    .columns = {1, 0},
    .work =
        [](const Computed& c) {
          const std::size_t macs = c.input_cells() * c.result.value.shape.back();
          return Work{macs, 2 * macs};
        },
    .explain = explain_transposed_product,
    .terms = [](const Computed& c) { return c.shape(0)[c.shape(0).size() - 2]; }};

} // namespace tfx
