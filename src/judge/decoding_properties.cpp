// Properties of decoding: how a token is chosen from its logits, how the targets of a beam are ranked, and
// what kept keys and values may not change.

#include "core/tensor.hpp"
#include "input/options.hpp"
#include "judge/probe.hpp"
#include "judge/property_lists.hpp"
#include "steps/layer_steps.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

// Properties of choosing a token from its logits, and of ranking the targets of a beam.

namespace {

using arma::mat;
using arma::rowvec;
using Logits = std::vector<double>;

const Logits six = {0.5, -1, 1.75, 1, -0.25, 1.5}; // no two alike, the largest in the middle
constexpr arma::uword all = 6;

// Two targets: a column each, of `lengths` tokens.
void give_targets(LessonInput& input, std::vector<double> log_probs, std::vector<double> lengths) {
  const std::size_t rows = log_probs.size() / 2;
  input.given.add_input("target_log_probs", "probe", Tensor({rows, 2}, std::move(log_probs)), {{}, {}});
  input.given.add_input("lengths", "probe", Tensor({2}, std::move(lengths)), {{}});
}

LessonInput step_of(const Logits& logits, const page::Sampling& sampling, double u = 0.5) {
  LessonInput input;
  input.given.add_input("logits", "probe", Tensor({1, logits.size()}, logits), {{}, {}});
  input.given.add_input("u", "probe", Tensor({1, 1}, {u}), {{}, {}});
  input.sampling = sampling;
  give_targets(input, {-1, -1, -1, -1, -9, -1}, {2, 3});
  return input;
}

LessonInput two_targets(std::vector<double> log_probs, std::vector<double> lengths) {
  LessonInput input = step_of(six, {});
  std::erase_if(input.given.steps,
                [](const Step& step) { return step.name == "target_log_probs" || step.name == "lengths"; });
  give_targets(input, std::move(log_probs), std::move(lengths));
  return input;
}

rowvec row(const Trace& t, const std::string& name) {
  return matrix(t[name]).row(0);
}

// Near 0 a draw is greedy.
std::optional<Measured> cold_is_greedy(const Lesson&, const LessonInput&, const Computation& compute) {
  const Trace t = compute(step_of(six, {.temperature = 0.01, .top_k = all, .top_p = 1}));
  return at_least(arma::dot(row(t, "probs_p"), row(t, "greedy")), 1 - 1e-6);
}

// Far above 1 every token is as likely as any other.
std::optional<Measured> hot_is_level(const Lesson&, const LessonInput&, const Computation& compute) {
  const Trace t = compute(step_of(six, {.temperature = 1e4, .top_k = all, .top_p = 1}));
  return at_most(arma::abs(row(t, "probs_p") - 1.0 / all).max(), 1e-3);
}

// Of one token top-k keeps the one that greedy takes.
std::optional<Measured> one_is_greedy(const Lesson&, const LessonInput&, const Computation& compute) {
  const Trace t = compute(step_of(six, {.temperature = 1, .top_k = 1, .top_p = 1}));
  return at_most(relative_difference(t["taken"], t["greedy"]), 0);
}

// Whatever was cut off, the rest is a distribution.
std::optional<Measured> rest_sums_to_one(const Lesson&, const LessonInput&, const Computation& compute) {
  const Trace t = compute(step_of(six, {.temperature = 1, .top_k = 4, .top_p = 0.7}));
  return at_most(
      std::max(std::abs(arma::accu(row(t, "probs_k")) - 1), std::abs(arma::accu(row(t, "probs_p")) - 1)),
      rounding);
}

// What top-p keeps reaches p, and without its least token would not.
std::optional<Measured> fewest_that_reach(const Lesson&, const LessonInput&, const Computation& compute) {
  bool fewest = true;
  double least = 1;
  for (const double p : {0.1, 0.5, 0.7, 0.9}) {
    const Trace t = compute(step_of(six, {.temperature = 1, .top_k = all, .top_p = p}));
    const rowvec probs = row(t, "probs_k"), kept = row(t, "kept_p"), in = probs % kept;
    const arma::uvec where = arma::find(kept > 0);
    const double mass = arma::accu(in), smallest = where.is_empty() ? 0 : in.elem(where).min();
    least = std::min(least, mass - p);
    fewest = fewest && mass - smallest < p;
  }
  return Measured{fewest && least >= 0, least};
}

// The tokens in another order: each keeps its probability.
std::optional<Measured> order_of_ids(const Lesson&, const LessonInput&, const Computation& compute) {
  const page::Sampling sampling{.temperature = 1, .top_k = 5, .top_p = 0.8};
  Logits reversed(six.rbegin(), six.rend());
  const rowvec there = row(compute(step_of(six, sampling)), "probs_p"),
               back = row(compute(step_of(reversed, sampling)), "probs_p");
  return at_most(arma::abs(there - arma::reverse(back)).max(), rounding);
}

// Over all places to draw at, each token is taken as often as it is probable.
std::optional<Measured> drawn_as_probable(const Lesson&, const LessonInput&, const Computation& compute) {
  constexpr int places = 50;
  const page::Sampling sampling{.temperature = 1, .top_k = 4, .top_p = 1};
  rowvec often(all, arma::fill::zeros), probs;
  for (int i = 0; i < places; ++i) {
    const Trace t = compute(step_of(six, sampling, (i + 0.5) / places));
    often += row(t, "taken") / places, probs = row(t, "probs_p");
  }
  return at_most(arma::abs(often - probs).max(), 1.0 / places);
}

// A token more costs a little: the longer target is the better one a token, and wins.
std::optional<Measured> longer_can_win(const Lesson&, const LessonInput&, const Computation& compute) {
  const Tensor chosen = compute(two_targets({-1, -1, -1, -1, -9, -0.1, -9, -0.1}, {2, 4}))["chosen"];
  return at_least(chosen.data[1], 1);
}

// A token more, as likely as the others, makes its target no better.
std::optional<Measured> token_costs(const Lesson&, const LessonInput&, const Computation& compute) {
  const rowvec score = row(compute(two_targets({-1, -1, -1, -1, -1, -1}, {2, 3})), "score");
  return at_most(score(1) - score(0), 0);
}

// What stands after a target's end is none of it.
std::optional<Measured> end_counts_last(const Lesson&, const LessonInput&, const Computation& compute) {
  const Tensor a = compute(two_targets({-1, -1, -1, -1, -9, -1}, {2, 3}))["score"],
               b = compute(two_targets({-1, -1, -1, -1, -2, -1}, {2, 3}))["score"];
  return at_most(relative_difference(a, b), 0);
}

} // namespace

std::vector<Property> choice_properties() {
  return only(takes<Input::sampling>, {{"cold_is_greedy", cold_is_greedy},
                                       {"hot_is_level", hot_is_level},
                                       {"one_is_greedy", one_is_greedy},
                                       {"rest_sums_to_one", rest_sums_to_one},
                                       {"fewest_that_reach", fewest_that_reach},
                                       {"order_of_ids", order_of_ids},
                                       {"drawn_as_probable", drawn_as_probable},
                                       {"longer_can_win", longer_can_win},
                                       {"token_costs", token_costs},
                                       {"end_counts_last", end_counts_last}});
}

// Properties of decoding with kept keys and values.

namespace {

using arma::mat;

LessonInput six_tokens(const Lesson& lesson) {
  InputOptions options;
  options.seed = 7, options.n_q = 6, options.d_model = 8;
  return resolve_input(options, lesson);
}

// Without a cache: the whole prefix through one masked attention.
mat uncached(const LessonInput& input) {
  const mat X = matrix(input.given["X"]);
  const page::Projections p = projections_of(input.given);
  const mat with_positions = X + page::sinusoidal_positions(X.n_rows, X.n_cols);
  return page::cross_attention(with_positions, with_positions, p, page::causal_mask(X.n_rows, X.n_rows))
      .output;
}

std::optional<Measured> as_uncached(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = six_tokens(lesson);
  double off = 0;
  for (const double factor : {1.0, 1000.0}) { // scores of thousands too
    replace(own, "W_Q", times(own.given["W_Q"], factor));
    const mat output = matrix(compute(own)["output"]);
    off = std::max(off, output.is_finite() ? relative_difference(output, uncached(own)) : HUGE_VAL);
  }
  return at_most(off, rounding);
}

mat last_row(const Trace& t) {
  return matrix(t["output"]).tail_rows(1);
}

// Another first token: the last step sees it.
std::optional<Measured> first_kept(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = six_tokens(lesson);
  const mat before = last_row(compute(own));
  replace(own, "X", with_other_row(own.given["X"], 0));
  return at_least(absolute_difference(last_row(compute(own)), before), 1e-3);
}

// The first two tokens in each other's place: the last step notices.
std::optional<Measured> order_kept(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = six_tokens(lesson);
  const mat before = last_row(compute(own));
  mat X = matrix(own.given["X"]);
  X.swap_rows(0, 1);
  replace(own, "X", to_tensor(X));
  return at_least(absolute_difference(last_row(compute(own)), before), 1e-3);
}

// Steps that come later, and room kept for them, change no step before.
std::optional<Measured> later_steps(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = six_tokens(lesson);
  const mat all = matrix(compute(own)["output"]);
  replace(own, "X", to_tensor(mat(matrix(own.given["X"]).head_rows(4))));
  return at_most(relative_difference(matrix(compute(own)["output"]), mat(all.head_rows(4))), rounding);
}

} // namespace

std::vector<Property> decoding_properties() {
  return only(takes<Input::cache>, {{"as_uncached", as_uncached},
                                    {"first_kept", first_kept},
                                    {"order_kept", order_kept},
                                    {"later_steps", later_steps}});
}

} // namespace tfx
