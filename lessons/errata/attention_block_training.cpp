// The errata of attention-block that are about its loss, its backward pass and its measurements.

#include "lessons/errata/page_data.hpp"
#include "lessons/errata/pages.hpp"
#include "page/backward.hpp"
#include "random/numpy_rng.hpp"

#include <algorithm>

namespace tfx::errata {

using arma::mat;
using arma::uword;

namespace {

mat concatenated_output(const LessonInput& run, std::size_t sentence) {
  std::vector<mat> heads;
  for (const page::Attention& head : heads_of(run, page::causal_mask(10, 10), sentence))
    heads.push_back(head.output);
  return page::merge_heads(heads);
}

double cross_entropy(const mat& log_probs, const std::vector<std::size_t>& labels) {
  double sum = 0;
  for (uword i = 0; i < log_probs.n_rows; ++i) sum -= log_probs(i, labels[i]);
  return sum / count(log_probs.n_rows);
}

Findings random_logits() {
  // The loss of the model as it is, less that of the model with W_O = 0.
  const auto difference = [](auto&& loss) {
    const mat W_O = given(the_block(), "W_O");
    return std::abs(loss(W_O) - loss(mat(W_O.n_rows, W_O.n_cols, arma::fill::zeros)));
  };
  const Drawn& after = drawn_after_the_block();
  const mat E = given(the_block(), "token_embedding");
  const mat concat =
      arma::join_cols(concatenated_output(the_block(), 0), concatenated_output(the_block(), 1));
  const auto tied = [&](const mat& W_O) {
    return cross_entropy(page::log_softmax(concat * W_O * E.t()), after.labels);
  };
  const double fixed = cross_entropy(page::log_softmax(after.logits), after.labels);
  Findings f;
  const double page = difference([&](const mat&) { return fixed; }), instead = difference(tied);
  f.measure("loss_moves", page, instead);
  f.measure("loss", fixed, tied(given(the_block(), "W_O")));
  f.facts["log_vocabulary"] = std::log(count(E.n_rows));
  f.verdict(page, instead, [](double moved) { return moved > 0; });
  return f;
}

// The maximum subtracted inside the sum only: the row then sums to e^max.
Findings log_probs_max() {
  const Drawn& after = drawn_after_the_block();
  const mat& Z = after.logits;
  const arma::vec sums = arma::sum(arma::exp(Z.each_col() - arma::vec(arma::max(Z, 1))), 1);
  const mat page = Z.each_col() - arma::log(sums), instead = page::log_softmax(Z);
  const auto row_sum = [](const mat& log_probs) { return arma::accu(arma::exp(log_probs.row(0))); };
  Findings f;
  f.measure("row_sum", row_sum(page), row_sum(instead));
  f.measure("loss", cross_entropy(page, after.labels), cross_entropy(instead, after.labels));
  f.facts["largest"] = Z.row(0).max();
  f.verdict(row_sum(page), row_sum(instead), [](double sum) { return std::abs(sum - 1) < 1e-9; });
  return f;
}

// Each called gradient beside the central difference of the loss. The page's loss never reads the output
// whose gradient it draws, so every difference of it is 0.
Findings random_backward() {
  const Drawn& after = drawn_after_the_block();
  const mat Z = after.logits.row(0);
  const std::vector<std::size_t> label{after.labels[0]};
  mat target(1, Z.n_cols, arma::fill::zeros);
  target(0, label[0]) = 1;
  const mat gradient = arma::exp(page::log_softmax(Z)) - target;
  double off = 0;
  for (const uword cell : {uword{0}, Z.index_max(), uword{label[0]}}) {
    constexpr double h = 1e-4; // a larger step would see the curve, a smaller one the rounding
    mat up = Z, down = Z;
    up(cell) += h, down(cell) -= h;
    const double slope =
        (cross_entropy(page::log_softmax(up), label) - cross_entropy(page::log_softmax(down), label)) /
        (2 * h);
    off = std::max(off, std::abs(slope - gradient(cell)));
  }
  Findings f;
  const double page = arma::abs(after.gradient).max();
  f.measure("gradient_off", page, off);
  f.facts["smallest"] = after.gradient.min();
  f.facts["largest"] = after.gradient.max();
  f.verdict(page, off, [](double distance) { return distance < 1e-8; }); // h² and rounding over h
  return f;
}

// A block whose softmax is saturated, so that W_Q learns nothing: who warns?
Findings gradient_flow() {
  LessonInput run = the_block();
  constexpr double grown = 1e8;
  for (Step& step : run.given.steps)
    if (step.name == "W_Q")
      for (double& w : step.value.data) w *= grown;
  const mat X = given(run, "X"), mask = page::causal_mask(10, 10);
  const auto Q = page::split_heads(projected(run, "Q"), 4), K = page::split_heads(projected(run, "K"), 4),
             V = page::split_heads(projected(run, "V"), 4);
  const mat output = concatenated_output(run, 0) * given(run, "W_O");
  const mat dconcat = mat(10, 64, arma::fill::value(1.0 / 640)) * given(run, "W_O").t();
  double largest = 0;
  for (std::size_t h = 0; h < 4; ++h) {
    const auto back = page::attention_backward(
        Q[h], K[h], V[h], mask, page::attention(Q[h], K[h], V[h], mask), dconcat.cols(16 * h, 16 * h + 15));
    largest = std::max(largest, mat(arma::abs(X.t() * back.dQ)).max());
  }
  constexpr double threshold = 1e-7; // the page's own, which it never compares with
  const double deviation = arma::stddev(arma::vectorise(output), 1);
  const double page = deviation < 1e-6 || deviation > 1e3, instead = largest < threshold;
  Findings f;
  f.measure("looked_at", deviation, largest);
  f.measure("warnings", page, instead);
  f.facts["grown"] = grown;
  f.facts["threshold"] = threshold;
  f.verdict(page, instead, [](double warnings) { return warnings == 1; });
  return f;
}

// A hundred runs of one length, one of them held up by the machine.
Findings mean_time() {
  constexpr double length = 1, held_up = 100; // ms
  NumpyRandom random(42);
  std::vector<double> times = random.uniform(0.98 * length, 1.02 * length, {100}).data;
  times[50] += held_up;
  const double mean = arma::mean(arma::vec(times)), median = arma::median(arma::vec(times));
  Findings f;
  f.measure("time_of_a_run", mean, median);
  f.facts["length"] = length, f.facts["held_up"] = held_up, f.facts["runs"] = count(times.size());
  f.verdict(mean, median, [](double time) { return std::abs(time - length) < 0.05 * length; });
  return f;
}

} // namespace

std::vector<Erratum> of_attention_block_training() {
  return {{"random_logits", "attention-block", random_logits},
          {"log_probs_max", "attention-block", log_probs_max},
          {"random_backward", "attention-block", random_backward},
          {"mean_time", "attention-block", mean_time},
          {"gradient_flow", "attention-block", gradient_flow}};
}

} // namespace tfx::errata
