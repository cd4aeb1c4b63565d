// Lesson multihead: h small attentions side by side. Source: fun-transformer, part 2; happy-llm, 2.1.6;
// attention-block; annotated; Vaswani et al. 2017, 3.2.2.

#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "page/formulas.hpp"
#include "steps/attention_steps.hpp"
#include "steps/layer_steps.hpp"
#include "trace/checks.hpp"

#include <cmath>

namespace tfx {

namespace {

// Every head has its own columns of W_Q, so n small products equal the wide one: [X·W₁, X·W₂] = X·[W₁, W₂].
void check_wide_product(Trace& t, std::size_t h) {
  const std::string X = t.has("X_Q") ? "X_Q" : "X";
  const Tensor separate = for_each_matrix(t[X], t["W_Q"], [&](const arma::mat& x, const arma::mat& W) {
    std::vector<arma::mat> heads;
    for (const arma::mat& W_i : page::split_heads(W, h)) heads.push_back(page::project(x, W_i));
    return page::merge_heads(heads);
  });
  const Tensor wide = for_each_matrix(
      t[X], t["W_Q"], [](const arma::mat& x, const arma::mat& W) { return page::project(x, W); });
  t.check_at_most("wide_product", relative_difference(separate, wide), rounding);
}

// Splitting and merging only move numbers.
void check_split_merge(Trace& t, std::size_t h) {
  t.check_at_most("split_merge", relative_difference(merge_heads(split_heads(t["Q"], h)), t["Q"]), 0);
  // Reading the same memory as (h, n, d_k) without the transpose puts other numbers into every head.
  Tensor viewed = t["Q"];
  viewed.shape = t["Q_heads"].shape;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < viewed.size(); ++i) wrong += viewed.data[i] != t["Q_heads"].data[i];
  if (wrong == 0) return; // one head, or one word: nothing moves
  t.facts["view_wrong"] = static_cast<double>(wrong);
  t.facts["view_cells"] = static_cast<double>(viewed.size());
}

// d_model² a matrix, whatever the number of heads.
void check_parameters(Trace& t, std::size_t h) {
  std::size_t in_heads = 0, whole = 0;
  for (const char* name : {"W_Q", "W_K", "W_V"}) {
    whole += t[name].size();
    for (const arma::mat& W_i : page::split_heads(matrix(t[name]), h)) in_heads += W_i.n_elem;
  }
  t.check("heads_add_no_parameters", in_heads == whole, static_cast<double>(whole));
}

// What attention-block prints of its weights and output. Of NaN there is neither a least nor a mean.
void state_validity(Trace& t) {
  const arma::vec weights(t["weights"].data), output(t["output"].data);
  if (!weights.is_finite() || !output.is_finite()) {
    t.facts["nan_weights"] = static_cast<double>(arma::uvec(arma::find_nan(weights)).n_elem);
    t.facts["nan_outputs"] = static_cast<double>(arma::uvec(arma::find_nan(output)).n_elem);
    return;
  }
  t.facts["nan_count"] = 0.0;
  t.facts["weights_least"] = weights.min();
  t.facts["weights_most"] = weights.max();
  t.facts["output_least"] = output.min();
  t.facts["output_most"] = output.max();
  t.facts["output_mean"] = arma::mean(output);
  t.facts["output_std"] = arma::stddev(output, 1);
}

// What a second head buys: another row of weights for the same word.
void compare_heads(Trace& t) {
  const Tensor& weights = t["weights"];
  if (weights.rank() < 3 || weights.shape[weights.rank() - 3] < 2) return;
  const double apart = absolute_difference(matrix(weights, 0), matrix(weights, 1));
  if (std::isfinite(apart)) t.facts["heads_apart"] = apart;
}

} // namespace

Trace run_multihead(const LessonInput& input) {
  Trace t = begin_trace("multihead", input, "output");
  const std::size_t h = input.heads;
  for (const char* name : {"Q", "K", "V"}) add_projection(t, input, name, Role::result);
  for (const char* name : {"Q", "K", "V"}) add_split(t, name, h);
  add_scores(t, "Q_heads", "K_heads", Role::result);
  add_scaled(t, "K_heads", Role::result);
  const std::string of = add_masked(t, input, Role::result);
  add_weights(t, of, Role::result, masked_row_value(input.masked_row));
  const bool drops = input.dropout > 0;
  if (drops) {
    give(t, input, "keep");
    add_dropout(t, "weights", "keep", input.dropout, Role::result);
    t.facts["dropout"] = input.dropout;
  }
  add_output(t, "heads", drops ? "dropped" : "weights", "V_heads", Role::result);
  add_merge(t);
  add_output_projection(t, input);

  check_rows_sum_to_one(t, "weights");
  check_wide_product(t, h);
  check_split_merge(t, h);
  check_parameters(t, h);
  compare_heads(t);
  if (h == 1) t.facts["one_head"] = 1.0;
  state_validity(t);
  return t;
}

} // namespace tfx
