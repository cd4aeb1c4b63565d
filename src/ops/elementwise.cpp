#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/backward.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;

Tensor sum_of(const Arguments& in) {
  return cell_by_cell(in[0], in[1], [](double a, double b) { return a + b; });
}

bool in_float32(const Operation& o) {
  return o.constant_text == "float32";
}

void explain_sum(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0), b = read.here(1);
  e.terms = {{read.plain(a.value), a.value, {a}}, {read.factor(b.value), b.value, {b}}};
  e.formula = read.name(0, a) + " + " + read.name(1, b);
  e.rule = e.reason = read.operation().constant_text; // "float32": the sum is rounded to it
}

void explain_difference(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0), b = read.here(1);
  e.set_single(read.plain(a.value) + " - " + read.factor(b.value), {a, b});
  e.formula = read.name(0, a) + " − " + read.name(1, b);
}

void explain_multiply(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0), b = read.here(1);
  e.set_single(read.product(a.value, b.value), {a, b});
  e.formula = read.name(0, a) + "·" + read.name(1, b);
}

void explain_quotient(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0), b = read.here(1);
  const std::string divisor = read.name(1, b);
  e.set_single(read.plain(a.value) + " / " + read.factor(b.value), {a, b});
  if (b.value == 0) read.decide(e, divisor + " = 0"), e.reason = "blocked_row";
  e.formula = read.name(0, a) + " / " + divisor;
}

void explain_sqrt_gradient(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0), b = read.here(1);
  e.set_single(read.plain(a.value) + " / (2·" + read.factor(b.value) + ")", {a, b});
  e.formula = read.name(0, a) + " / (2·" + read.name(1, b) + ")";
}

void explain_divisor_gradient(Explanation& e, const CellReader& read) {
  const CellRef divisor = read.cell(2, read.index);
  const std::string b = read.name(2, divisor);
  e.formula = "−Σ " + read.row_name(0, read.index) + "·" + read.row_name(1, read.index) + " / " + b;
  if (divisor.value == 0) return e.set_single("0", {divisor}), read.decide(e, b + " = 0");
  const std::vector<CellRef> upper = read.row_of(0), quotients = read.row_of(1);
  for (std::size_t k = 0; k < upper.size(); ++k) e.terms.push_back(read.product_term(upper[k], quotients[k]));
  e.terms[0].reads.push_back(divisor);
  e.before = "-(", e.after = ") / " + read.factor(divisor.value);
}

std::optional<Vjp> multiply_vjp(const Computed& c, std::size_t i) {
  const std::string d = gradient_name(c.result.name), &other = c.name(i == 0 ? 1 : 0);
  if (c.shape(i) == c.result.value.shape) return Vjp{d + "⊙" + other, op::multiply(d, other)};
  return summed(d, other, c.shape(i));
}

} // namespace

void explain_one(Explanation& e, const CellReader& read, const std::string& before, const std::string& after,
                 const std::string& formula_before, const std::string& formula_after) {
  const CellRef a = read.here(0);
  e.set_single(before + read.plain(a.value) + after, {a});
  e.formula = formula_before + read.name(0, a) + formula_after;
}

Work free_of_cost(const Computed&) {
  return {};
}

Work one_a_cell(const Computed& step) {
  return {0, step.cells()};
}

std::size_t row_terms(const Computed& step) {
  return step.input_width();
}

constinit const Op op::add = {
    .name = "add",
    .formula = [](const Operation& o) { return o.inputs[0] + " + " + o.inputs[1]; },
    .shape = common_shape,
    .value =
        [](const Arguments& in) {
          if (in_float32(in.operation()))
            return cell_by_cell(in[0], in[1], [](double a, double b) {
              return static_cast<double>(static_cast<float>(a) + static_cast<float>(b));
            });
          return sum_of(in);
        },
    .unrounded = sum_of,
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain = explain_sum,
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> { return passed_on(c, i); }};

constinit const Op op::subtract = {
    .name = "subtract",
    .formula = [](const Operation& o) { return o.inputs[0] + " − " + o.inputs[1]; },
    .shape = common_shape,
    .value =
        [](const Arguments& in) {
          return cell_by_cell(in[0], in[1], [](double a, double b) { return a - b; });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain = explain_difference,
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> {
      return passed_on(c, i, i == 0 ? 1 : -1);
    }};

constinit const Op op::multiply = {
    .name = "multiply",
    .formula = [](const Operation& o) { return o.inputs[0] + "⊙" + o.inputs[1]; },
    .shape = common_shape,
    .value =
        [](const Arguments& in) {
          return cell_by_cell(in[0], in[1], [](double a, double b) { return a * b; });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain = explain_multiply,
    .vjp = multiply_vjp};

constinit const Op op::divide = {
    .name = "normalize",
    .formula = [](const Operation& o) { return o.inputs[0] + "/" + o.inputs[1]; },
    .shape = common_shape,
    .value =
        [](const Arguments& in) {
          const double otherwise = in.constant();
          return cell_by_cell(in[0], in[1], [=](double a, double b) { return b == 0 ? otherwise : a / b; });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain = explain_quotient,
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &B = c.name(1), &quotient = c.result.name;
      if (i == 0) return Vjp{d + "/" + B, op::divide(d, B)};
      return Vjp{"−rowsum(" + d + "⊙" + quotient + ")/" + B, op::divisor_gradient(d, quotient, B)};
    },
    .rows_compare = true};

constinit const Op op::divide_by = {
    .name = "divide_by",
    .formula = [](const Operation& o) { return o.inputs[0] + "/" + o.constant_text; },
    .shape =
        [](const Arguments& in) {
          const Shape& onto = in.operation().shape;
          if (onto.empty()) return in[0].shape;
          fitting(with_shape(in, 0) + ", " + to_string(onto), in[0].shape, onto);
          return onto;
        },
    .value =
        [](const Arguments& in) {
          const double divisor = in.constant();
          const Tensor quotients = cell_by_cell(in[0], [=](double a) { return a / divisor; });
          return in.operation().shape.empty() ? quotients : sum_onto(quotients, in.operation().shape);
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain =
        [](Explanation& e, const CellReader& read) {
          const Operation& o = read.operation();
          explain_one(e, read, "", " / " + read.factor(o.constant), "", " / " + o.constant_text);
        },
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name);
      return Vjp{d + "/" + c.operation.constant_text,
                 op::divide_by(d).with(c.operation.constant, c.operation.constant_text)};
    }};

constinit const Op op::multiply_by = {
    .name = "multiply_by",
    .formula = [](const Operation& o) { return o.inputs[0] + "·" + o.constant_text; },
    .shape = same_shape,
    .value =
        [](const Arguments& in) {
          const double factor = in.constant();
          return cell_by_cell(in[0], [=](double a) { return a * factor; });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain =
        [](Explanation& e, const CellReader& read) {
          const CellRef a = read.here(0);
          e.set_single(read.product(a.value, read.operation().constant), {a});
          e.formula = read.name(0, a) + "·" + read.operation().constant_text;
        },
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name);
      return Vjp{d + "·" + c.operation.constant_text,
                 op::multiply_by(d).with(c.operation.constant, c.operation.constant_text)};
    }};

constinit const Op op::add_constant = {
    .name = "add_constant",
    .formula = [](const Operation& o) { return o.inputs[0] + " + " + o.constant_text; },
    .shape = same_shape,
    .value =
        [](const Arguments& in) {
          const double summand = in.constant();
          return cell_by_cell(in[0], [=](double a) { return a + summand; });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain =
        [](Explanation& e, const CellReader& read) {
          const std::string summand = " + " + read.operation().constant_text;
          explain_one(e, read, "", summand, "", summand);
        },
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> { return passed_on(c, i); }};

constinit const Op op::exp = {
    .name = "exp",
    .formula = [](const Operation& o) { return "e^" + o.inputs[0]; },
    .shape = same_shape,
    .value = [](const Arguments& in) { return cell_by_cell(in[0], [](double a) { return std::exp(a); }); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain = [](Explanation& e, const CellReader& read) { explain_one(e, read, "exp(", ")", "exp(", ")"); },
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name);
      return Vjp{d + "⊙" + c.result.name, op::multiply(d, c.result.name)};
    }};

constinit const Op op::sqrt = {
    .name = "sqrt",
    .formula = [](const Operation& o) { return "√" + o.inputs[0]; },
    .shape = same_shape,
    .value = [](const Arguments& in) { return cell_by_cell(in[0], [](double a) { return std::sqrt(a); }); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain = [](Explanation& e, const CellReader& read) { explain_one(e, read, "sqrt(", ")", "√", ""); },
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name);
      return Vjp{d + "/(2·" + c.result.name + ")", op::sqrt_gradient(d, c.result.name)};
    }};

constinit const Op op::sqrt_gradient = {
    .name = "sqrt_gradient",
    .formula = [](const Operation& o) { return o.inputs[0] + "/(2·" + o.inputs[1] + ")"; },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::sqrt_backward); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 2 * c.cells()};
        },
    .explain = explain_sqrt_gradient};

constinit const Op op::divisor_gradient = {
    .name = "divisor_gradient",
    .formula =
        [](const Operation& o) { return "−rowsum(" + o.inputs[0] + "⊙" + o.inputs[1] + ")/" + o.inputs[2]; },
    .shape =
        [](const Arguments& in) {
          Shape shape = cell_for_cell(in);
          require_same_rows(in, 0, 2);
          shape.back() = 1;
          return shape;
        },
    .value =
        [](const Arguments& in) {
          return for_each_matrix(in[0], in[1], in[2], [](const mat& d, const mat& N, const mat& divisor) {
            return mat(page::divisor_backward(d, N, divisor.col(0)));
          });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work =
        [](const Computed& c) {
          return Work{0, 2 * c.input_cells() + c.cells()};
        },
    .explain = explain_divisor_gradient,
    .terms = row_terms};

} // namespace tfx
