#include "ops/shared.hpp"

#include "ops/cell_reader.hpp"
#include "ops/shape_rule.hpp"
#include "page/backward.hpp"

#include <algorithm>

namespace tfx {

namespace {

std::size_t query_count(const Tensor& A) {
  return A.shape[A.rank() - 2];
}

Shape last_two(const Arguments& in) {
  return Shape(in[0].shape.end() - 2, in[0].shape.end());
}

// "j = 2 > i = 1 ⇒ 0"
void explain_place(Explanation& e, const CellReader& read, const std::string& formula,
                   const std::string& if_seen, const std::string& if_not, const std::string& limit) {
  const bool seen = e.cell.value == 1;
  e.formula = formula;
  e.rule =
      "j = " + std::to_string(read.column()) + (seen ? if_seen : if_not) + limit + (seen ? " ⇒ 1" : " ⇒ 0");
}

// "1 < j = 2 ≤ i = 4 ⇒ 1"
void explain_window(Explanation& e, const CellReader& read) {
  const auto i = static_cast<std::ptrdiff_t>(read.row()), j = static_cast<std::ptrdiff_t>(read.column()),
             width = static_cast<std::ptrdiff_t>(read.operation().constant);
  const std::string before = std::to_string(i - width), column = "j = " + std::to_string(j);
  e.formula = "i − " + std::to_string(width) + " < j ≤ i";
  if (j > i)
    e.rule = column + " > i = " + std::to_string(i) + " ⇒ 0";
  else if (j <= i - width)
    e.rule = column + " ≤ i − " + std::to_string(width) + " = " + before + " ⇒ 0";
  else
    e.rule = before + " < " + column + " ≤ i = " + std::to_string(i) + " ⇒ 1";
}

void explain_padding(Explanation& e, const CellReader& read) {
  const std::size_t n = read.result_shape().back(), seen = n - count_of(read.operation().constant, n);
  explain_place(e, read, "j < n − pad", " < ", " ≥ ", std::to_string(seen));
}

void explain_both(Explanation& e, const CellReader& read) {
  e.between = "·";
  for (std::size_t k = 0; k < read.inputs(); ++k) {
    const CellRef a = read.here(k);
    e.terms.push_back({read.plain(a.value), a.value, {a}});
    e.formula += (k ? " ∧ " : "") + read.name(k, a);
  }
}

void explain_mask_fill(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0), b = read.here(1);
  const std::string mask = read.name(1, b);
  e.formula = read.name(0, a);
  if (b.value == 0) { // what stands there is not read
    e.set_single("-inf", {b});
    read.decide(e, mask + " = 0");
    e.formula = "−∞";
  } else {
    e.set_single(read.plain(a.value), {a, b});
    e.rule = mask + " = 1 ⇒ " + e.formula;
  }
}

void explain_mask_keep(Explanation& e, const CellReader& read) {
  const CellRef a = read.here(0), b = read.here(1);
  const std::string mask = read.name(1, b);
  e.formula = read.name(0, a);
  if (b.value != 0) {
    e.set_single(read.plain(a.value), {a, b});
    e.rule = mask + " = 1 ⇒ " + e.formula;
  } else { // what stands there is not read
    e.set_single("0", {b});
    read.decide(e, mask + " = 0");
  }
}

} // namespace

constinit const Op op::causal_mask = {
    .name = "causal_mask",
    .formula = [](const Operation&) { return std::string("[j ≤ i]"); },
    .shape = last_two,
    .value =
        [](const Arguments& in) {
          return to_tensor(page::causal_mask(query_count(in[0]), in[0].shape.back()));
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = free_of_cost,
    .explain =
        [](Explanation& e, const CellReader& read) {
          explain_place(e, read, "j ≤ i", " ≤ i = ", " > i = ", std::to_string(read.row()));
        },
    .is_mask = true};

constinit const Op op::causal_mask_lower_right = {
    .name = "causal_mask_lower_right",
    .formula = [](const Operation&) { return std::string("[j ≤ i + n_k − n_q]"); },
    .shape = last_two,
    .value =
        [](const Arguments& in) {
          return to_tensor(page::causal_mask_lower_right(query_count(in[0]), in[0].shape.back()));
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = free_of_cost,
    .explain =
        [](Explanation& e, const CellReader& read) {
          const Shape& shape = read.result_shape();
          const auto last = static_cast<std::ptrdiff_t>(read.row() + shape.back()) -
                            static_cast<std::ptrdiff_t>(shape[shape.size() - 2]);
          explain_place(e, read, "j ≤ i + n_k − n_q",
                        " ≤ i + n_k − n_q = ", " > i + n_k − n_q = ", std::to_string(last));
        },
    .is_mask = true};

constinit const Op op::causal_window = {
    .name = "causal_window",
    .formula = [](const Operation& o) { return "[i − " + o.constant_text + " < j ≤ i]"; },
    .shape = last_two,
    .value =
        [](const Arguments& in) {
          arma::mat seen = page::causal_mask(query_count(in[0]), in[0].shape.back());
          const std::size_t window = count_of(in.constant(), seen.n_rows);
          for (arma::uword i = window; i < seen.n_rows; ++i)
            seen.row(i).head(std::min(seen.n_cols, i + 1 - window)).zeros();
          return to_tensor(seen);
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = free_of_cost,
    .explain = explain_window,
    .is_mask = true,
    .counts_from = 0};

constinit const Op op::padding_mask = {
    .name = "padding_mask",
    .formula = [](const Operation& o) { return "[j < n_k − " + o.constant_text + "]"; },
    .shape = last_two,
    .value =
        [](const Arguments& in) {
          const std::size_t n_k = in[0].shape.back();
          return to_tensor(page::padding_mask(query_count(in[0]), n_k, count_of(in.constant(), n_k)));
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = free_of_cost,
    .explain = explain_padding,
    .is_mask = true,
    .counts_from = 0};

constinit const Op op::both = {
    .name = "both",
    .formula =
        [](const Operation& o) {
          std::string formula;
          for (const std::string& part : o.inputs) formula += (formula.empty() ? "" : " ∧ ") + part;
          return formula;
        },
    .shape =
        [](const Arguments& in) {
          const Shape common = common_shape(in), &onto = in.operation().shape;
          if (onto.empty()) return common;
          fitting(with_shape(in, 0) + ", " + to_string(onto), common, onto);
          return onto;
        },
    .value =
        [](const Arguments& in) {
          const Shape& shape = in.operation().shape;
          Tensor all = shape.empty() ? in[0] : Tensor(shape, std::vector<double>(element_count(shape), 1));
          for (std::size_t i = shape.empty() ? 1 : 0; i < in.size(); ++i)
            all = cell_by_cell(all, in[i], [](double a, double b) { return a * b; });
          return all;
        },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = free_of_cost,
    .explain = explain_both,
    .is_mask = true};

constinit const Op op::mask_fill = {
    .name = "mask_fill",
    .formula = [](const Operation& o) { return "where(" + o.inputs[1] + ", " + o.inputs[0] + ", −∞)"; },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::mask_fill); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = free_of_cost,
    .explain = explain_mask_fill,
    .vjp = [](const Computed& c, std::size_t i) -> std::optional<Vjp> {
      if (i != 0) return std::nullopt;
      const std::string d = gradient_name(c.result.name), &mask = c.name(1);
      return Vjp{"where(" + mask + ", " + d + ", 0)", op::mask_keep(d, mask)};
    }};

constinit const Op op::mask_keep = {
    .name = "mask_keep",
    .formula = [](const Operation& o) { return "where(" + o.inputs[1] + ", " + o.inputs[0] + ", 0)"; },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::mask_backward); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = free_of_cost,
    .explain = explain_mask_keep};

} // namespace tfx
