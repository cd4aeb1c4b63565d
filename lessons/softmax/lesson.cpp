// Lesson softmax: scores become shares of one whole. Source: fun-transformer, part 4; happy-llm, 2.1.2;
// Vaswani et al. 2017, 3.2.1 and its footnote 4 on the scale.

#include "core/tensor.hpp"
#include "lessons/softmax/sweep.hpp"
#include "page/formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

// Every step of the softmax as a tensor of its own.
void add_steps(Trace& t, const LessonInput& input, const std::string& of) {
  const double fill = masked_row_value(input.masked_row);
  t.add("row_max", op::row_max(of), Role::result);
  t.add("shifted", op::subtract(of, "row_max"), Role::result);
  t.add("exponentials", op::exp("shifted"), Role::result);
  t.add("row_sum", op::row_sum("exponentials"), Role::result);
  t.add("weights", op::divide("exponentials", "row_sum").with(fill), Role::result, "exponentials / row_sum");
  t.add("entropy", op::entropy("weights"), Role::result);
}

// Adding one number to a whole row changes no weight; without subtracting the maximum, scores near 1000
// overflow.
void check_shift(Trace& t, const std::string& of, const arma::uvec& open) {
  const Tensor shifted =
      for_each_matrix(t[of], [](const arma::mat& S) { return page::softmax(S + 100).weights; });
  t.check_at_most(
      "shift_invariant",
      relative_difference(
          shifted, for_each_matrix(t[of], [](const arma::mat& S) { return page::softmax(S).weights; })),
      1e-11); // 100 costs two of the sixteen digits
  if (open.is_empty()) return;
  const arma::mat S = matrix(t[of]);
  const arma::rowvec large = S.row(open(0)) + 1000;
  t.facts["large_row"] = row_label(t, of, open(0));
  t.facts["naive_sum"] = arma::accu(arma::exp(large));
  const arma::mat weights = page::softmax(large).weights;
  const double sum = arma::accu(weights);
  t.check("large_scores_are_finite",
          weights.is_finite() && std::abs(sum - 1) <= rounding * static_cast<double>(S.n_cols), sum);
}

// The first row whose largest weight the scale changes; one that sees a single key gives it all either way.
void compare_with_unscaled(Trace& t, const std::string& of, const arma::uvec& open) {
  const arma::mat W = matrix(t["weights"]), scores = matrix(t["scores"]);
  const arma::mat unscaled =
      page::softmax(t.has("mask") ? page::mask_fill(scores, matrix(t["mask"])) : scores).weights;
  for (const arma::uword row : open) {
    const double largest = W.row(row).max(), without = unscaled.row(row).max();
    if (std::abs(largest - without) < 1e-4) continue;
    t.facts["row"] = row_label(t, "weights", row);
    t.facts["largest"] = largest;
    t.facts["largest_unscaled"] = without;
    const arma::mat scaled = matrix(t[of]).row(row);
    constexpr double temperature = 3; // not 2, or d_k = 4 without its scale would be one of the two
    t.facts["temperature"] = temperature;
    t.facts["largest_hot"] = page::softmax(scaled / temperature).weights.max();
    t.facts["largest_cold"] = page::softmax(scaled * temperature).weights.max();
    return;
  }
}

// What the scale does at the largest width that the sweep tries.
void state_widest(Trace& t, const Experiment& sweep) {
  const arma::rowvec last = matrix(sweep.values).tail_rows(1);
  const auto column = [&](const char* name) {
    return last(static_cast<arma::uword>(std::ranges::find(sweep.columns, name) - sweep.columns.begin()));
  };
  t.facts["sweep_size"] = static_cast<double>(sweep_size);
  t.facts["sweep_uniform"] = std::log(static_cast<double>(sweep_size));
  t.facts["widest"] = sweep.rows.back();
  t.facts["widest_raw"] = column("largest_raw");
  t.facts["widest_scaled"] = column("largest_scaled");
}

} // namespace

Trace run_softmax(const LessonInput& input) {
  Trace t = begin_trace("softmax", input, "weights");
  add_projection(t, input, "Q", Role::recap);
  add_projection(t, input, "K", Role::recap);
  add_scores(t, "Q", "K", Role::recap);
  add_scaled(t, "K", Role::result);
  const std::string of = add_masked(t, input, Role::result);
  add_steps(t, input, of);
  if (const Tensor& W = t["weights"]; of == "masked" && W.rank() == 2 && W.shape[0] > 1 && W.shape[1] > 1)
    t.spotlight = {t.main, {1, 1}}; // the first row may see itself alone
  t.experiments.push_back(scale_sweep());
  state_widest(t, t.experiments.back());
  t.objective = {"entropy"}; // the mean of weights that sum to 1 never moves

  check_rows_sum_to_one(t, "weights");
  const arma::uvec open = open_rows(t);
  check_shift(t, of, open);
  compare_with_unscaled(t, of, open);
  t.facts["uniform_entropy"] = std::log(static_cast<double>(t["weights"].shape.back()));
  return t;
}

} // namespace tfx
