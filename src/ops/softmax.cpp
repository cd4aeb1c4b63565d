#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/backward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

using arma::mat;

double largest_of(const std::vector<CellRef>& row) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const CellRef& x : row) largest = std::max(largest, x.value);
  return largest;
}

// e^(x − max) / Σ e^(x − max), or the rule for a row that may see nothing.
void explain_softmax(Explanation& e, const CellReader& read) {
  const std::vector<CellRef> cells = read.row_of(0);
  const double largest = largest_of(cells);
  const std::string row = read.row_name(0, read.index);
  e.formula = "softmax(" + row + ")[" + read.last_name(0, read.index) + "]";
  if (std::isinf(largest)) return decide_masked_row(e, read, read.index, "max(" + row + ") = −∞");
  const auto power = [&](double x) { return "exp(" + read.plain(x) + " - " + read.factor(largest) + ")"; };
  for (const CellRef& x : cells) e.terms.push_back({power(x.value), std::exp(x.value - largest), {x}});
  e.before = power(cells[read.column()].value) + " / (";
  e.after = ")";
}

void explain_softmax_gradient(Explanation& e, const CellReader& read) {
  const CellRef own = read.cell(0, read.index), weight = read.cell(1, read.index);
  const std::string w = read.name(1, weight);
  e.formula = w + "·(" + read.name(0, own) + " − Σ " + read.row_name(0, read.index) + "·" +
              read.row_name(1, read.index) + ")";
  if (weight.value == 0) return e.set_single("0", {weight}), read.decide(e, w + " = 0");
  const std::vector<CellRef> upper = read.row_of(0), weights = read.row_of(1);
  for (std::size_t k = 0; k < upper.size(); ++k)
    if (weights[k].value == 0)
      e.terms.push_back({"0", 0, {weights[k]}}); // what has no weight is not read
    else
      e.terms.push_back(read.product_term(upper[k], weights[k]));
  e.before = read.factor(weight.value) + "·(" + read.plain(own.value) + " - (", e.after = "))";
}

void explain_log_softmax(Explanation& e, const CellReader& read) {
  const std::vector<CellRef> row = read.row_of(0);
  const double largest = largest_of(row);
  for (const CellRef& x : row)
    e.terms.push_back({"exp(" + read.plain(x.value) + " - " + read.factor(largest) + ")",
                       std::exp(x.value - largest),
                       {x}});
  e.formula = "ln softmax(" + read.row_name(0, read.index) + ")[" + read.last_name(0, read.index) + "]";
  e.before = read.plain(row[read.column()].value) + " - " + read.factor(largest) + " - ln(";
  e.after = ")";
}

void explain_log_softmax_gradient(Explanation& e, const CellReader& read) {
  const CellRef own = read.cell(0, read.index), log = read.cell(1, read.index);
  for (const CellRef& x : read.row_of(0)) e.terms.push_back({read.factor(x.value), x.value, {x}});
  e.terms[read.column()].reads.push_back(log);
  e.formula = read.name(0, own) + " − e^" + read.name(1, log) + "·Σ " + read.row_name(0, read.index);
  e.before = read.plain(own.value) + " - exp(" + read.plain(log.value) + ")·(", e.after = ")";
}

} // namespace

constinit const Op op::softmax = {
    .name = "softmax",
    .formula = [](const Operation& o) { return "softmax(" + o.inputs[0] + ")"; },
    .shape = same_shape,
    .value =
        [](const Arguments& in) {
          const double masked_row = in.constant();
          return for_each_matrix(in[0], [=](const mat& S) { return page::softmax(S, masked_row).weights; });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 5 * c.cells()};
        },
    .explain = explain_softmax,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &A = c.result.name;
      return Vjp{A + "⊙(" + d + " − rowsum(" + d + "⊙" + A + "))", op::softmax_gradient(d, A)};
    },
    .terms = row_terms,
    .rows_compare = true};

constinit const Op op::softmax_gradient = {
    .name = "softmax_gradient",
    .formula =
        [](const Operation& o) {
          const std::string &d = o.inputs[0], &A = o.inputs[1];
          return A + "⊙(" + d + " − rowsum(" + d + "⊙" + A + "))";
        },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::softmax_backward); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 4 * c.cells()};
        },
    .explain = explain_softmax_gradient,
    .terms = row_terms};

constinit const Op op::log_softmax = {
    .name = "log_softmax",
    .formula = [](const Operation& o) { return "log_softmax(" + o.inputs[0] + ")"; },
    .shape = same_shape,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], page::log_softmax); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 5 * c.cells() + c.cells() / c.input_width()};
        },
    .explain = explain_log_softmax,
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &L = c.result.name;
      return Vjp{d + " − e^" + L + "·rowsum(" + d + ")", op::log_softmax_gradient(d, L)};
    },
    .terms = row_terms};

constinit const Op op::log_softmax_gradient = {
    .name = "log_softmax_gradient",
    .formula =
        [](const Operation& o) {
          return o.inputs[0] + " − e^" + o.inputs[1] + "·rowsum(" + o.inputs[0] + ")";
        },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::log_softmax_backward); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 4 * c.cells()};
        },
    .explain = explain_log_softmax_gradient,
    .terms = row_terms};

} // namespace tfx
