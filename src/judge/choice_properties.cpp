// Properties of choosing a token from its logits, and of ranking the targets of a beam.

#include "judge/layer_properties.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;
using arma::rowvec;
using Logits = std::vector<double>;

bool chooses(const Lesson& lesson) {
  return lesson.stage == Stage::choice;
}

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
std::optional<Measured> cold_is_greedy(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!chooses(lesson)) return {};
  const Trace t = compute(step_of(six, {.temperature = 0.01, .top_k = all, .top_p = 1}));
  return at_least(arma::dot(row(t, "probs_p"), row(t, "greedy")), 1 - 1e-6);
}

// Far above 1 every token is as likely as any other.
std::optional<Measured> hot_is_level(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!chooses(lesson)) return {};
  const Trace t = compute(step_of(six, {.temperature = 1e4, .top_k = all, .top_p = 1}));
  return at_most(arma::abs(row(t, "probs_p") - 1.0 / all).max(), 1e-3);
}

// Of one token top-k keeps the one that greedy takes.
std::optional<Measured> one_is_greedy(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!chooses(lesson)) return {};
  const Trace t = compute(step_of(six, {.temperature = 1, .top_k = 1, .top_p = 1}));
  return at_most(relative_difference(t["taken"], t["greedy"]), 0);
}

// Whatever was cut off, the rest is a distribution.
std::optional<Measured> rest_sums_to_one(const Lesson& lesson, const LessonInput&,
                                         const Computation& compute) {
  if (!chooses(lesson)) return {};
  const Trace t = compute(step_of(six, {.temperature = 1, .top_k = 4, .top_p = 0.7}));
  return at_most(
      std::max(std::abs(arma::accu(row(t, "probs_k")) - 1), std::abs(arma::accu(row(t, "probs_p")) - 1)),
      rounding);
}

// What top-p keeps reaches p, and without its least token would not.
std::optional<Measured> fewest_that_reach(const Lesson& lesson, const LessonInput&,
                                          const Computation& compute) {
  if (!chooses(lesson)) return {};
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
std::optional<Measured> order_of_ids(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!chooses(lesson)) return {};
  const page::Sampling sampling{.temperature = 1, .top_k = 5, .top_p = 0.8};
  Logits reversed(six.rbegin(), six.rend());
  const rowvec there = row(compute(step_of(six, sampling)), "probs_p"),
               back = row(compute(step_of(reversed, sampling)), "probs_p");
  return at_most(arma::abs(there - arma::reverse(back)).max(), rounding);
}

// Over all places to draw at, each token is taken as often as it is probable.
std::optional<Measured> drawn_as_probable(const Lesson& lesson, const LessonInput&,
                                          const Computation& compute) {
  if (!chooses(lesson)) return {};
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
std::optional<Measured> longer_can_win(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!chooses(lesson)) return {};
  const Tensor chosen = compute(two_targets({-1, -1, -1, -1, -9, -0.1, -9, -0.1}, {2, 4}))["chosen"];
  return at_least(chosen.data[1], 1);
}

// A token more, as likely as the others, makes its target no better.
std::optional<Measured> token_costs(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!chooses(lesson)) return {};
  const rowvec score = row(compute(two_targets({-1, -1, -1, -1, -1, -1}, {2, 3})), "score");
  return at_most(score(1) - score(0), 0);
}

// What stands after a target's end is none of it.
std::optional<Measured> end_counts_last(const Lesson& lesson, const LessonInput&,
                                        const Computation& compute) {
  if (!chooses(lesson)) return {};
  const Tensor a = compute(two_targets({-1, -1, -1, -1, -9, -1}, {2, 3}))["score"],
               b = compute(two_targets({-1, -1, -1, -1, -2, -1}, {2, 3}))["score"];
  return at_most(relative_difference(a, b), 0);
}

} // namespace

std::vector<Property> choice_properties() {
  return {{"cold_is_greedy", cold_is_greedy},
          {"hot_is_level", hot_is_level},
          {"one_is_greedy", one_is_greedy},
          {"rest_sums_to_one", rest_sums_to_one},
          {"fewest_that_reach", fewest_that_reach},
          {"order_of_ids", order_of_ids},
          {"drawn_as_probable", drawn_as_probable},
          {"longer_can_win", longer_can_win},
          {"token_costs", token_costs},
          {"end_counts_last", end_counts_last}};
}

} // namespace tfx
