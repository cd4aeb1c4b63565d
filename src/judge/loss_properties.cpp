// Properties of a loss, on logits of its own: a vocabulary of the padding and three words, "a b c" to read.

#include "judge/layer_properties.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;
using Names = std::vector<std::string>;

const Names vocabulary = {"<pad>", "a", "b", "c"};

bool has_loss(const Lesson& lesson) {
  return lesson.stage == Stage::loss;
}

// Logits of the tokens a, b, c, a, …, and what each should have predicted; 0 is the padding.
LessonInput asked(Tensor logits, std::vector<double> labels, double smoothing = 0) {
  LessonInput input;
  input.smoothing = smoothing;
  Shape shape(logits.shape.begin(), logits.shape.end() - 1);
  Names tokens;
  for (std::size_t i = 0; i < shape.back(); ++i) tokens.push_back(vocabulary[1 + i % 3]);
  Labels axes(logits.rank());
  axes.back() = vocabulary;
  input.given.add_input("logits", "probe", std::move(logits), std::move(axes));
  Labels rows(shape.size());
  rows.back() = tokens;
  input.given.add_input("labels", "probe", Tensor(shape, std::move(labels)), std::move(rows));
  input.given.add_input("pad_id", "probe", Tensor({}, {0}), {});
  return input;
}

// `sure` at each row's word, 0 elsewhere.
Tensor sure_of(const std::vector<double>& words, double sure) {
  Tensor logits({words.size(), 4});
  for (std::size_t i = 0; i < words.size(); ++i)
    logits.data[i * 4 + static_cast<std::size_t>(words[i])] = sure;
  return logits;
}

double loss_of(const Trace& t) {
  return t["loss"].data[0];
}

Tensor plus(Tensor A, double more) {
  for (double& x : A.data) x += more;
  return A;
}

// Each row's probabilities are one whole: Σ e^log_probs = 1.
std::optional<Measured> log_probs_sum(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!has_loss(lesson)) return {};
  const mat L = matrix(compute(asked(times(noise({3, 4}), 3), {2, 3, 0}))["log_probs"]);
  return at_most(arma::abs(arma::sum(arma::exp(L), 1) - 1).max(), rounding);
}

// A number added to a row of logits changes no probability, be it 1000 or −1000.
std::optional<Measured> log_probs_shift(const Lesson& lesson, const LessonInput&,
                                        const Computation& compute) {
  if (!has_loss(lesson)) return {};
  const Tensor logits = noise({3, 4}), right = compute(asked(logits, {2, 3, 0}))["log_probs"];
  double off = 0;
  for (const double more : {1000.0, -1000.0}) {
    const double moved =
        relative_difference(compute(asked(plus(logits, more), {2, 3, 0}))["log_probs"], right);
    off = moved <= off ? off : moved; // NaN stays
  }
  return at_most(off, 1e-11); // 1000 takes three digits
}

// Whoever is sure and right loses nothing.
std::optional<Measured> sure_and_right(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!has_loss(lesson)) return {};
  const std::vector<double> labels = {2, 3, 0};
  return at_most(std::abs(loss_of(compute(asked(sure_of(labels, 100), labels)))), rounding);
}

// Whoever only repeats the word that was read loses much: the next one was asked for.
std::optional<Measured> copying_costs(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!has_loss(lesson)) return {};
  return at_least(loss_of(compute(asked(sure_of({1, 2, 3}, 10), {2, 3, 0}))), 5);
}

// A row of padding may hold any logits, and may be left out: the loss does not know.
std::optional<Measured> padding_ignored(const Lesson& lesson, const LessonInput&,
                                        const Computation& compute) {
  if (!has_loss(lesson)) return {};
  const Tensor logits = noise({3, 4});
  Tensor other = logits, without({2, 4});
  for (std::size_t j = 0; j < 4; ++j) other.data[8 + j] = static_cast<double>(j);
  std::copy_n(logits.data.begin(), 8, without.data.begin());
  const Trace t = compute(asked(logits, {2, 3, 0}));
  const double loss = loss_of(t);
  double off = std::max(std::abs(loss_of(compute(asked(other, {2, 3, 0}))) - loss),
                        std::abs(loss_of(compute(asked(without, {2, 3}))) - loss));
  off = std::max(off, arma::abs(matrix(t["dlogits"]).row(2)).max());
  return at_most(off, rounding);
}

// The same sentence twice in a batch is not twice as wrong.
std::optional<Measured> batch_mean(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!has_loss(lesson)) return {};
  const Tensor logits = noise({3, 4});
  Tensor both({2, 3, 4});
  std::ranges::copy(logits.data, both.data.begin());
  std::ranges::copy(logits.data, both.data.begin() + 12);
  const double once = loss_of(compute(asked(logits, {2, 3, 1}))),
               twice = loss_of(compute(asked(both, {2, 3, 1, 2, 3, 1})));
  return at_most(std::abs(twice - once), rounding);
}

// Smoothed or not, a target asks for one whole, and never for the padding.
std::optional<Measured> target_whole(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!has_loss(lesson)) return {};
  double off = 0;
  for (const double smoothing : {0.0, 0.3}) {
    const mat target = matrix(compute(asked(noise({3, 4}), {2, 3, 1}, smoothing))["target"]);
    off = std::max({off, arma::abs(arma::sum(target, 1) - 1).max(), arma::abs(target.col(0)).max()});
  }
  return at_most(off, rounding);
}

} // namespace

std::vector<Property> loss_properties() {
  return {{"log_probs_sum", log_probs_sum},     {"log_probs_shift", log_probs_shift},
          {"sure_and_right", sure_and_right},   {"copying_costs", copying_costs},
          {"padding_ignored", padding_ignored}, {"batch_mean", batch_mean},
          {"target_whole", target_whole}};
}

} // namespace tfx
