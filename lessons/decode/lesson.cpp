// Lesson decode: from the logits of one step to the token that is written, by each strategy, and the last
// step of a beam search: finished targets, and which is the best. Source: Holtzman et al. 2020, section 3; Wu
// et al. 2016, "Google's Neural Machine Translation System", equation 14, without its coverage.

#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tfx {

namespace {

inline constexpr double length_exponent = 0.6;

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

// "一 one, 四 four", for those who cannot read what the shipped model writes; empty of other tokens.
std::string in_english(const std::vector<std::string>& tokens) {
  static const std::map<std::string, std::string> words{
      {"零", "zero"},     {"一", "one"},          {"二", "two"},
      {"三", "three"},    {"四", "four"},         {"五", "five"},
      {"六", "six"},      {"七", "seven"},        {"八", "eight"},
      {"九", "nine"},     {"十", "ten"},          {"百", "hundred"},
      {"千", "thousand"}, {"万", "ten thousand"}, {"亿", "hundred million"}};
  std::string text;
  for (const std::string& token : tokens)
    if (const auto word = words.find(token); word != words.end())
      text += (text.empty() ? "" : ", ") + token + " " + word->second;
  return text;
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

// Checks: the recorded steps are the page's formula, what was cut off has no probability, the temperature
// changes no order. Facts of the choice, and of the beam's targets.
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
  if (std::string words = in_english(t.find("logits")->labels.back()); !words.empty())
    t.facts["in_english"] = std::move(words);
  if (!input.reference.empty() || t.find("logits")->formula == "numbers-zh")
    t.facts["shipped"] = std::string();
  tell_targets(t);
}

// A way to choose, and the distribution that it draws from.
struct Strategy {
  std::string name;
  rowvec p;
};

std::vector<Strategy> strategies_of(const Trace& t, const Sampling& s) {
  constexpr double hot = 2;
  const mat logits = matrix(t["logits"]);
  const uword all = logits.n_cols;
  const auto probs = [&](const Sampling& sampling) {
    return rowvec(page::sample_from(logits, sampling, 0).probs_p);
  };
  return {{"argmax", matrix(t["greedy"]).row(0)},
          {"T = 1", probs({1, all, 1})},
          {fmt::format("T = {}", s.temperature), probs({s.temperature, all, 1})},
          {fmt::format("T = {}", hot), probs({hot, all, 1})},
          {fmt::format("k = {}", s.top_k), probs({1, s.top_k, 1})},
          {fmt::format("p = {}", s.top_p), probs({1, all, s.top_p})},
          {"T, k, p", matrix(t["probs_p"]).row(0)}};
}

// The tokens that a table of distributions has room for, the most probable first.
arma::uvec likeliest_tokens(const Trace& t) {
  constexpr uword most = 8;
  const arma::uvec order = arma::stable_sort_index(matrix(t["logits"]).row(0), "descend");
  return order.head(std::min(most, order.n_elem));
}

// A row a strategy, a column a token.
void compare_strategies(Trace& t, const std::vector<Strategy>& strategies) {
  const arma::uvec shown = arma::sort(likeliest_tokens(t));
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

// A row a token, as the model likes them; a bar for what a strategy leaves of it: where a column ends, it has
// cut.
void draw_strategies(Trace& t, const std::vector<Strategy>& strategies) {
  const std::vector<std::pair<std::string, Strategy>> columns = {{"p", strategies[1]},
                                                                 {"greedy", strategies[0]},
                                                                 {strategies[4].name, strategies[4]},
                                                                 {strategies[5].name, strategies[5]},
                                                                 {strategies[6].name, strategies[6]}};
  BarPicture picture;
  for (const auto& column : columns) picture.columns.push_back(column.first);
  for (const uword token : likeliest_tokens(t)) {
    PictureRow row{name_at(t, "logits", token), {}};
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const rowvec& p = columns[c].second.p;
      const bool has_number = c == 0 || c + 1 == columns.size();
      row.bars.push_back({{{p(token) / p.max(), false}}, has_number ? fmt::format("{:.2f}", p(token)) : ""});
    }
    picture.rows.push_back(std::move(row));
  }
  t.idea = std::move(picture);
}

std::string number(double value) {
  return fmt::format("{}", value);
}

// Of `from` what `kept` lets through, divided by its sum: a distribution again.
void add_renormalised(Trace& t, const std::string& from, const std::string& letter) {
  const std::string kept = "kept_" + letter, cut = "cut_" + letter, mass = "mass_" + letter;
  t.add(cut, op::multiply(from, kept), Role::result);
  t.add(mass, op::row_sum(cut), Role::result);
  t.add("probs_" + letter, op::divide(cut, mass), Role::result);
}

// One step: greedy looks at the logits alone, a draw at what temperature, top-k and top-p have left.
void add_choice(Trace& t, const LessonInput& input) {
  const page::Sampling& s = input.sampling;
  give(t, input, "logits"), give(t, input, "u");
  refuse_not_finite(t, "logits");
  t.add("log_probs", op::log_softmax("logits"), Role::recap, "logits − ln Σ e^logits");
  t.add("greedy", op::first_max("log_probs"), Role::result);
  t.add("tempered", op::divide_by("logits").with(s.temperature, number(s.temperature)), Role::result);
  t.add("probs", op::softmax("tempered"), Role::result);
  t.add("kept_k", op::top_k("probs").with(static_cast<double>(s.top_k), std::to_string(s.top_k)),
        Role::result);
  add_renormalised(t, "probs", "k");
  t.add("before", op::mass_before("probs_k"), Role::result);
  t.add("kept_p", op::below("before").with(s.top_p, number(s.top_p)), Role::result);
  add_renormalised(t, "probs_k", "p");
  t.add("places", op::mass_before("probs_p"), Role::result);
  t.add("taken", op::draw("probs_p", "places", "u"), Role::result);
}

// The targets that a beam ends with: a column each, and which is the best.
void add_beam(Trace& t, const LessonInput& input) {
  give(t, input, "target_log_probs"), give(t, input, "lengths");
  const Step& log_probs = *t.find("target_log_probs");
  const Shape& shape = log_probs.value.shape;
  const auto add = [&](const std::string& name, Operation operation, const std::string& formula) {
    t.add(name, std::move(operation), Role::result, formula);
    t.relabel(-1, log_probs.labels[1]);
  };
  Tensor counted(shape);
  for (std::size_t i = 0; i < counted.size(); ++i)
    counted.data[i] = static_cast<double>(i / shape[1]) < t["lengths"].data[i % shape[1]] ? 1 : 0;
  t.add_input("counted", "[t ≤ lengths]", std::move(counted), log_probs.labels);
  add("sum", op::sum_over("target_log_probs", "counted").with(1, "1").onto({1, shape[1]}),
      "Σ target_log_probs⊙counted");
  Tensor penalty({1, shape[1]});
  for (std::size_t i = 0; i < penalty.size(); ++i)
    penalty.data[i] = std::pow((5 + t["lengths"].data[i]) / 6, length_exponent);
  t.add_input("penalty", "((5 + lengths)/6)^" + number(length_exponent), std::move(penalty),
              {{}, log_probs.labels[1]});
  add("score", op::divide("sum", "penalty"), "sum/penalty");
  add("chosen", op::first_max("score"), "score = max(score)");
}

} // namespace

Trace run_decode(const LessonInput& input) {
  Trace t = begin_trace("decode", input, "probs_p");
  add_choice(t, input);
  add_beam(t, input);
  t.spotlight = {t.main, {0, matrix(t["taken"]).row(0).index_max()}};
  check_choice(t, input);
  const std::vector<Strategy> strategies = strategies_of(t, input.sampling);
  compare_strategies(t, strategies), draw_strategies(t, strategies);
  return t;
}

} // namespace tfx
