#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/optimizers.hpp"

namespace tfx {

namespace {

using arma::mat;

// "(1 - 0.9)": what is left for the newest number.
std::string rest_of(const CellReader& read) {
  return "(1 - " + read.plain(read.operation().constant) + ")";
}

void explain_average(Explanation& e, const CellReader& read, const std::string& power, double now) {
  const CellRef before = read.here(0), newest = read.here(1);
  const double beta = read.operation().constant;
  e.terms = {{read.product(beta, before.value), beta * before.value, {before}},
             {rest_of(read) + "·" + read.factor(newest.value) + power, (1 - beta) * now, {newest}}};
  const std::string& text = read.operation().constant_text;
  e.formula = text + "·" + read.name(0, before) + " + (1 − " + text + ")·" + read.name(1, newest) +
              (power.empty() ? "" : "²");
}

std::string average_formula(const Operation& o, const char* power) {
  return o.constant_text + "·" + o.inputs[0] + " + (1 − " + o.constant_text + ")·" + o.inputs[1] + power;
}

Work flops_a_cell(const Computed& step, std::size_t flops) {
  return {0, flops * step.cells()};
}

Shape shared_shape(const Arguments& in) {
  require_same_shape(in, 0, 1);
  return in[0].shape;
}

// A formula for matrices, on the cells of tensors of any shape.
template <class Formula>
Tensor on_cells(const Arguments& in, const Formula& formula) {
  const mat result = formula(mat(in[0].data), mat(in[1].data));
  return {in[0].shape, {result.begin(), result.end()}};
}

} // namespace

constinit const Op op::moving_average = {
    .name = "moving_average",
    .formula = [](const Operation& o) { return average_formula(o, ""); },
    .shape = shared_shape,
    .value =
        [](const Arguments& in) {
          return on_cells(in, [&](const mat& before, const mat& now) {
            return page::moving_average(before, now, in.constant());
          });
        },
    .rows = {1, 1},
    .columns = {1, 0},
    .work = [](const Computed& c) { return flops_a_cell(c, 3); },
    .explain = [](Explanation& e,
                  const CellReader& read) { explain_average(e, read, "", read.here(1).value); }};

constinit const Op op::moving_average_of_squares = {
    .name = "moving_average_of_squares",
    .formula = [](const Operation& o) { return average_formula(o, "²"); },
    .shape = shared_shape,
    .value =
        [](const Arguments& in) {
          return on_cells(in, [&](const mat& before, const mat& now) {
            return page::moving_average(before, now % now, in.constant());
          });
        },
    .rows = {1, 1},
    .columns = {1, 0},
    .work = [](const Computed& c) { return flops_a_cell(c, 4); },
    .explain =
        [](Explanation& e, const CellReader& read) {
          const double now = read.here(1).value;
          explain_average(e, read, "^2", now * now);
        }};

constinit const Op op::adam_direction = {
    .name = "adam_direction",
    .formula =
        [](const Operation& o) { return o.inputs[0] + "/(√" + o.inputs[1] + " + " + o.constant_text + ")"; },
    .shape = shared_shape,
    .value =
        [](const Arguments& in) {
          return on_cells(in, [&](const mat& m_hat, const mat& v_hat) {
            return page::adam_direction(m_hat, v_hat, in.constant());
          });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = [](const Computed& c) { return flops_a_cell(c, 3); },
    .explain =
        [](Explanation& e, const CellReader& read) {
          const CellRef m = read.here(0), v = read.here(1);
          const std::string epsilon = read.plain(read.operation().constant);
          e.set_single(read.plain(m.value) + " / (sqrt(" + read.plain(v.value) + ") + " + epsilon + ")",
                       {m, v});
          e.formula =
              read.name(0, m) + " / (√" + read.name(1, v) + " + " + read.operation().constant_text + ")";
        }};

} // namespace tfx
