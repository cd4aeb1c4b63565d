#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/backward.hpp"

namespace tfx {

namespace {

using arma::mat;
using page::LayerNorm;

// A part of the page's LayerNorm; gamma and beta act after it.
Tensor norm_part(const Tensor& X, Norm rule, arma::vec LayerNorm::*part) {
  return for_each_matrix(X, [=](const mat& x) {
    const arma::rowvec ones(x.n_cols, arma::fill::ones), zeros(x.n_cols, arma::fill::zeros);
    return mat(page::layer_norm(x, ones, zeros, rule).*part);
  });
}

double mean_of(const std::vector<CellRef>& row) {
  double sum = 0;
  for (const CellRef& x : row) sum += x.value;
  return sum / static_cast<double>(row.size());
}

// Squares from the mean of the row, and the row's name and width.
void explain_squares(Explanation& e, const CellReader& read) {
  const std::vector<CellRef> row = read.row_of(0);
  const double mean = mean_of(row);
  for (const CellRef& x : row) {
    const double off = x.value - mean;
    e.terms.push_back({"(" + read.plain(x.value) + " - " + read.factor(mean) + ")^2", off * off, {x}});
  }
}

void explain_row_mean(Explanation& e, const CellReader& read) {
  for (const CellRef& x : read.row_of(0)) e.terms.push_back({read.factor(x.value), x.value, {x}});
  e.formula = "mean(" + read.row_name(0, read.index) + ")";
  e.before = "(", e.after = ") / " + std::to_string(read.shape(0).back());
}

void explain_variance(Explanation& e, const CellReader& read) {
  explain_squares(e, read);
  e.formula = "Σ (x − mean)² / d, x = " + read.row_name(0, read.index);
  e.before = "(", e.after = ") / " + std::to_string(read.shape(0).back());
}

void explain_std(Explanation& e, const CellReader& read) {
  explain_squares(e, read);
  e.formula = "√(Σ (x − mean)² / (d − 1)), x = " + read.row_name(0, read.index);
  e.before = "sqrt((", e.after = ") / (" + std::to_string(read.shape(0).back()) + " - 1))";
}

// "(X[a, 1] − mean)" and "(0.5 - 0.25)".
struct FromMean {
  std::string name, number;
};
FromMean from_mean(const CellReader& read, const CellRef& x) {
  return {"(" + read.name(1, x) + " − mean)",
          "(" + read.plain(x.value) + " - " + read.factor(mean_of(read.row_of(1))) + ")"};
}

void explain_variance_gradient(Explanation& e, const CellReader& read) {
  const CellRef upper = read.here(0), x = read.cell(1, read.index);
  const std::string m = std::to_string(read.shape(1).back());
  const FromMean off = from_mean(read, x);
  e.formula = "2·" + off.name + "·" + read.name(0, upper) + " / " + m;
  e.set_single("2·" + off.number + "·" + read.factor(upper.value) + " / " + m, {upper, x});
}

void explain_std_gradient(Explanation& e, const CellReader& read) {
  const CellRef upper = read.here(0), x = read.cell(1, read.index), deviation = read.here(2);
  const std::string m = std::to_string(read.shape(1).back()), s = read.name(2, deviation);
  const FromMean off = from_mean(read, x);
  e.formula = off.name + "·" + read.name(0, upper) + " / ((" + m + " − 1)·" + s + ")";
  e.set_single(off.number + "·" + read.factor(upper.value) + " / ((" + m + " - 1)·" +
                   read.factor(deviation.value) + ")",
               {upper, x, deviation});
  if (deviation.value == 0) read.decide(e, s + " = 0");
}

} // namespace

constinit const Op op::row_mean = {
    .name = "row_mean",
    .formula = [](const Operation& o) { return "rowmean(" + o.inputs[0] + ")"; },
    .shape = one_column,
    .value = [](const Arguments& in) { return norm_part(in[0], Norm::layer, &LayerNorm::mean); },
    .rows = {0, 1},
    .work =
        [](const Computed& c) {
          return Work{0, c.input_cells() + c.cells()};
        },
    .explain = explain_row_mean,
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), m = std::to_string(c.input_width());
      return Vjp{"repeat(" + d + "/" + m + ")",
                 op::divide_by(d).with(static_cast<double>(c.input_width()), m).onto(c.shape(i))};
    },
    .terms = row_terms,
    .shape_hint = "row"};

constinit const Op op::row_variance = {
    .name = "row_variance",
    .formula = [](const Operation& o) { return "var(" + o.inputs[0] + ", ddof=0)"; },
    .shape = one_column,
    .value = [](const Arguments& in) { return norm_part(in[0], Norm::layer, &LayerNorm::spread); },
    .rows = {0, 1},
    .work =
        [](const Computed& c) {
          return Work{0, 4 * c.input_cells() + 2 * c.cells()};
        },
    .explain = explain_variance,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &A = c.name(0);
      return Vjp{"2·(" + A + " − mean)·" + d + "/" + std::to_string(c.input_width()),
                 op::variance_gradient(d, A)};
    },
    .terms = row_terms,
    .shape_hint = "row"};

constinit const Op op::row_std = {
    .name = "row_std",
    .formula = [](const Operation& o) { return "rowstd(" + o.inputs[0] + ", ddof=1)"; },
    .shape = one_column,
    .value = [](const Arguments& in) { return norm_part(in[0], Norm::annotated, &LayerNorm::spread); },
    .rows = {0, 1},
    .work =
        [](const Computed& c) {
          return Work{0, 4 * c.input_cells() + 3 * c.cells()};
        },
    .explain = explain_std,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &A = c.name(0), &std = c.result.name;
      return Vjp{"(" + A + " − mean)·" + d + "/(" + std::to_string(c.input_width() - 1) + "·" + std + ")",
                 op::std_gradient(d, A, std)};
    },
    .corner = Corner::no_spread,
    .terms = row_terms,
    .shape_hint = "row"};

constinit const Op op::variance_gradient = {
    .name = "variance_gradient",
    .formula = [](const Operation& o) { return "2·(" + o.inputs[1] + " − mean)·" + o.inputs[0] + "/m"; },
    .shape = along_rows,
    .value =
        [](const Arguments& in) {
          return for_each_matrix(
              in[0], in[1], [](const mat& d, const mat& X) { return page::variance_backward(d.col(0), X); });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 5 * c.cells()};
        },
    .explain = explain_variance_gradient,
    .terms = [](const Computed& c) { return c.input_width(); }};

constinit const Op op::std_gradient = {
    .name = "std_gradient",
    .formula =
        [](const Operation& o) {
          return "(" + o.inputs[1] + " − mean)·" + o.inputs[0] + "/((m − 1)·" + o.inputs[2] + ")";
        },
    .shape = along_rows,
    .value =
        [](const Arguments& in) {
          return for_each_matrix(in[0], in[1], in[2], [](const mat& d, const mat& X, const mat& std) {
            return page::std_backward(d.col(0), X, std.col(0));
          });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 5 * c.cells()};
        },
    .explain = explain_std_gradient,
    .terms = [](const Computed& c) { return c.input_width(); }};

} // namespace tfx
