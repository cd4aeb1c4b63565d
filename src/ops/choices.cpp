#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/decoding.hpp"

namespace tfx {

namespace {

using arma::mat;

// Whether `a` comes before `b` where the larger one comes first, of equal ones the first.
bool is_before(const CellRef& a, const CellRef& b) {
  return a.value > b.value || (a.value == b.value && a.index < b.index);
}

std::string verdict(bool yes) {
  return yes ? "1" : "0";
}

void explain_top_k(Explanation& e, const CellReader& read) {
  const CellRef own = read.here(0);
  const std::vector<CellRef> row = read.row_of(0);
  std::size_t larger = 0;
  for (const CellRef& other : row) {
    larger += is_before(other, own);
    e.terms.push_back({read.plain(other.value), other.value, {other}});
  }
  const bool is_kept = static_cast<double>(larger) < read.operation().constant;
  e.formula = "[rank(" + read.name(0, own) + ") ≤ " + read.operation().constant_text + "]";
  e.decide("rank = " + std::to_string(larger + 1) + (is_kept ? " ≤ " : " > ") +
               read.operation().constant_text,
           verdict(is_kept));
}

void explain_mass_before(Explanation& e, const CellReader& read) {
  const CellRef own = read.here(0);
  for (const CellRef& other : read.row_of(0))
    if (is_before(other, own)) e.terms.push_back({read.factor(other.value), other.value, {other, own}});
  if (e.terms.empty()) e.set_single("0", {own});
  e.formula = "Σ p > " + read.name(0, own);
}

void explain_below(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0);
  const bool yes = a.value < read.operation().constant;
  e.formula = "[" + read.name(0, a) + " < " + read.operation().constant_text + "]";
  e.set_single(read.plain(a.value), {a});
  e.decide(read.plain(a.value) + (yes ? " < " : " ≥ ") + read.operation().constant_text, verdict(yes));
}

void explain_draw(Explanation& e, const CellReader& read) {
  const CellRef p = read.here(0), before = read.here(1), u = read.here(2);
  const std::string end = read.plain(before.value + p.value), place = read.name(2, u);
  e.formula = "[" + read.name(1, before) + " ≤ " + place + " < " + read.name(1, before) + " + " +
              read.name(0, p) + "]";
  e.terms = {{read.plain(p.value), p.value, {p}},
             {read.plain(before.value), before.value, {before}},
             {read.plain(u.value), u.value, {u}}};
  const bool is_here = e.cell.value == 1;
  const std::string condition = is_here ? read.plain(before.value) + " ≤ " + read.plain(u.value) + " < " + end
                                : p.value == 0 ? read.name(0, p) + " = 0"
                                : u.value < before.value
                                    ? read.plain(u.value) + " < " + read.plain(before.value)
                                    : read.plain(u.value) + " ≥ " + end;
  e.decide(condition, verdict(is_here));
}

Work row_looked_through(const Computed& c) {
  return {0, c.input_cells()};
}

} // namespace

constinit const Op op::top_k = {
    .name = "top_k",
    .formula = [](const Operation& o) { return "[rank(" + o.inputs[0] + ") ≤ " + o.constant_text + "]"; },
    .shape = same_shape,
    .value =
        [](const Arguments& in) {
          const std::size_t k = count_of(in.constant(), in[0].shape.back());
          return for_each_matrix(in[0], [k](const mat& P) { return page::top_k(P, k); });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = row_looked_through,
    .explain = explain_top_k,
    .terms = row_terms,
    .marks = true,
    .counts_from = 0};

constinit const Op op::mass_before = {
    .name = "mass_before",
    .formula = [](const Operation& o) { return "Σ " + o.inputs[0] + "[" + o.inputs[0] + " > p]"; },
    .shape = same_shape,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], page::mass_before); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = row_looked_through,
    .explain = explain_mass_before,
    .terms = row_terms};

constinit const Op op::below = {
    .name = "below",
    .formula = [](const Operation& o) { return "[" + o.inputs[0] + " < " + o.constant_text + "]"; },
    .shape = same_shape,
    .value =
        [](const Arguments& in) {
          return cell_by_cell(in[0], [&](double x) { return x < in.constant() ? 1.0 : 0.0; });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = free_of_cost,
    .explain = explain_below,
    .marks = true};

constinit const Op op::draw = {
    .name = "draw",
    .formula =
        [](const Operation& o) {
          return "[" + o.inputs[1] + " ≤ " + o.inputs[2] + " < " + o.inputs[1] + " + " + o.inputs[0] + "]";
        },
    .shape = cell_for_cell,
    .value =
        [](const Arguments& in) {
          const double u = in[2].data[0];
          return for_each_matrix(in[0], in[1],
                                 [u](const mat& P, const mat& before) { return page::drawn(P, before, u); });
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = one_a_cell,
    .explain = explain_draw,
    .marks = true};

} // namespace tfx
