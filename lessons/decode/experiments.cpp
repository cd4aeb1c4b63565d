#include "lessons/decode/experiments.hpp"

#include "core/tensor.hpp"
#include "trace/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

using arma::mat;
using arma::rowvec;
using arma::uword;
using page::Sampling;

// The name of a column of the step, its number where it has none.
std::string name_at(const Trace& t, const std::string& step, uword column) {
  const std::vector<std::string>& names = t.find(step)->labels.back();
  return names.empty() ? std::to_string(column) : names[column];
}

uword best_of(const Trace& t, const std::string& name) {
  return matrix(t[name]).row(0).index_max();
}

// A target of log-probabilities says what each strategy's first token leads to.
void tell_targets(Trace& t) {
  const mat sum = matrix(t["sum"]), score = matrix(t["score"]);
  const uword likeliest = sum.row(0).index_max(), best = score.row(0).index_max();
  t.facts["likeliest"] = name_at(t, "sum", likeliest), t.facts["likeliest_sum"] = sum(0, likeliest);
  t.facts["winner"] = name_at(t, "sum", best), t.facts["winner_sum"] = sum(0, best);
  t.facts["exponent"] = length_exponent;
  const std::string first = name_at(t, "log_probs", best_of(t, "greedy"));
  const mat log_probs = matrix(t["target_log_probs"]);
  std::vector<double> greedy; // its steps: at each the most probable
  for (uword j = 0; j < sum.n_cols; ++j) {
    const std::vector<double> steps(log_probs.begin_col(j), log_probs.end_col(j));
    const std::string target = name_at(t, "sum", j);
    if (!target.starts_with(first) || steps <= greedy) continue;
    greedy = steps;
    t.facts["greedy_target"] = target, t.facts["greedy_target_sum"] = sum(0, j);
  }
}

} // namespace

void check_choice(Trace& t, const LessonInput& input) {
  const Sampling& s = input.sampling;
  const double u = t["u"].data[0];
  const mat logits = matrix(t["logits"]);
  const page::Sampled by_formula = page::sample_from(logits, s, u);
  const rowvec lengths(t["lengths"].data);
  const rowvec scores = page::beam_scores(matrix(t["target_log_probs"]), lengths, length_exponent);
  t.check_at_most("formula",
                  std::max({relative_difference(matrix(t["probs_p"]), by_formula.probs_p),
                            relative_difference(matrix(t["taken"]), by_formula.drawn),
                            relative_difference(matrix(t["score"]), mat(scores))}),
                  rounding);
  check_rows_sum_to_one(t, "probs_p");
  t.check("same_order", best_of(t, "probs") == best_of(t, "logits"), 0);
  const uword best = best_of(t, "greedy"), taken = best_of(t, "taken");
  t.check("taken_is_kept", matrix(t["probs_p"])(0, taken) > 0, 0);
  t.facts["best"] = name_at(t, "log_probs", best), t.facts["taken"] = name_at(t, "log_probs", taken);
  t.facts["best_p"] = std::exp(matrix(t["log_probs"])(0, best));
  t.facts["best_p_tempered"] = matrix(t["probs"])(0, best);
  t.facts["taken_p"] = matrix(t["probs_p"])(0, taken);
  t.facts["u"] = u, t.facts["temperature"] = s.temperature;
  t.facts["k"] = std::to_string(s.top_k), t.facts["p"] = s.top_p;
  t.facts["tokens"] = std::to_string(logits.n_cols);
  t.facts["left_k"] = std::to_string(static_cast<std::size_t>(arma::accu(matrix(t["kept_k"]))));
  t.facts["left"] = std::to_string(static_cast<std::size_t>(arma::accu(matrix(t["probs_p"]) > 0)));
  t.facts["lost_k"] = 1 - t["mass_k"].data[0], t.facts["lost_p"] = 1 - t["mass_p"].data[0];
  if (!input.reference.empty() || t.find("logits")->formula == "numbers-zh")
    t.facts["shipped"] = std::string();
  tell_targets(t);
}

void compare_strategies(Trace& t, const LessonInput& input) {
  constexpr uword most = 8;
  const Sampling& s = input.sampling;
  const mat logits = matrix(t["logits"]);
  const uword all = logits.n_cols;
  const auto probs = [&](const Sampling& sampling) {
    return rowvec(page::sample_from(logits, sampling, 0).probs_p);
  };
  const double hot = 2;
  const std::vector<std::pair<std::string, rowvec>> strategies = {
      {"argmax", matrix(t["greedy"]).row(0)},
      {"T = 1", probs({1, all, 1})},
      {fmt::format("T = {}", s.temperature), probs({s.temperature, all, 1})},
      {fmt::format("T = {}", hot), probs({hot, all, 1})},
      {fmt::format("k = {}", s.top_k), probs({1, s.top_k, 1})},
      {fmt::format("p = {}", s.top_p), probs({1, all, s.top_p})},
      {"T, k, p", matrix(t["probs_p"]).row(0)}};
  arma::uvec shown = arma::stable_sort_index(logits.row(0), "descend");
  shown = arma::sort(arma::uvec(shown.head(std::min(most, all))));
  Experiment table{"strategies", {}, {}, {}}, spread{"which", {"can_be_chosen", "best", "entropy"}, {}, {}};
  for (const uword token : shown) table.columns.push_back(name_at(t, "logits", token));
  mat rows(strategies.size(), shown.n_elem), spreads(strategies.size(), 3);
  for (uword i = 0; i < rows.n_rows; ++i) {
    const auto& [name, p] = strategies[i];
    table.rows.push_back(name), spread.rows.push_back(name);
    rows.row(i) = p.cols(shown);
    spreads.row(i) = {static_cast<double>(arma::accu(p > 0)), p.max(), page::entropy(p)(0)};
  }
  table.values = to_tensor(rows), table.pictured = true;
  spread.values = to_tensor(spreads);
  t.experiments.push_back(std::move(table)), t.experiments.push_back(std::move(spread));
}

} // namespace tfx
