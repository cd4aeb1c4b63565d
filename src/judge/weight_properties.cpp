// Properties of the weights of attention: what scale and softmax do to them, and what a mask lets through.

#include "core/tensor.hpp"
#include "judge/probe.hpp"
#include "judge/property_lists.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

// Properties of scale and softmax.

namespace {

// Calls visit(row) for each row of weights that may see something.
template <class Visit>
void for_each_open_row(const Trace& t, const Visit& visit) {
  const std::vector<std::size_t> blocked =
      t.has("masked") ? fully_masked_rows(t["masked"]) : std::vector<std::size_t>{};
  const Tensor& W = t["weights"];
  const std::size_t n_k = W.shape.back();
  for (std::size_t row = 0; row < W.size() / n_k; ++row)
    if (!std::ranges::binary_search(blocked, row)) visit(arma::rowvec(&W.data[row * n_k], n_k));
}

// Largest |Σ row − 1| of rows that may see something.
std::optional<Measured> rows_sum_to_one(const Lesson&, const LessonInput& input, const Computation& compute) {
  const Trace t = compute(input);
  if (!t.has("weights")) return {};
  double worst = 0;
  for_each_open_row(t, [&](const arma::rowvec& w) {
    const double off = std::abs(arma::accu(w) - 1);
    worst = off <= worst ? worst : off; // NaN stays
  });
  return at_most(worst, rounding * static_cast<double>(t["weights"].shape.back()));
}

// How far below 0 the smallest weight of an open row lies.
std::optional<Measured> weights_not_negative(const Lesson&, const LessonInput& input,
                                             const Computation& compute) {
  const Trace t = compute(input);
  if (!t.has("weights")) return {};
  double below = 0;
  for_each_open_row(t, [&](const arma::rowvec& w) { below = -w.min() <= below ? below : -w.min(); });
  return at_most(below, 0);
}

bool weighs(const Lesson& lesson) {
  return projects(lesson) && lesson.run(probe(lesson)).has("weights");
}

// Every key moved by the same vector adds one number to each row of scores: no weight moves.
Measured shifted_keys(double far, double limit, const Lesson& lesson, const Computation& compute) {
  const LessonInput before = probe(lesson);
  LessonInput after = before;
  replace(after, "b_K", times(noise({before.given["W_K"].shape.back()}), far));
  const Trace a = compute(before), b = compute(after);
  return at_most(relative_difference(b["weights"], a["weights"]), limit);
}

std::optional<Measured> shift_invariant(const Lesson& lesson, const LessonInput&,
                                        const Computation& compute) {
  return shifted_keys(1, 1e-10, lesson, compute); // a shift costs digits of the scores
}

// Scores of some thousands, where e^x overflows.
std::optional<Measured> large_scores(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  return shifted_keys(1000, 1e-8, lesson, compute); // four digits more
}

// Equal scores: every key gets 1/n_k.
std::optional<Measured> equal_scores(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput input = probe(lesson);
  replace(input, "W_Q", Tensor(input.given["W_Q"].shape));
  const Tensor W = compute(input)["weights"];
  const Tensor even(W.shape, std::vector<double>(W.size(), 1 / static_cast<double>(W.shape.back())));
  return at_most(relative_difference(W, even), rounding);
}

// One key far ahead of the others takes all: how much is left for them in the worst row.
std::optional<Measured> winner_takes_all(const Lesson& lesson, const LessonInput&,
                                         const Computation& compute) {
  LessonInput input = probe(lesson);
  replace(input, "W_Q", times(input.given["W_Q"], 1000));
  double left = 0;
  for_each_open_row(compute(input), [&](const arma::rowvec& w) {
    const double rest = std::abs(1 - w.max());
    left = rest <= left ? left : rest;
  });
  return at_most(left, 1e-3);
}

// ln w_ij − ln w_ik = scaled_ij − scaled_ik among what query i may see.
std::optional<Measured> odds(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const Trace t = compute(lesson.masks() ? causal_probe(lesson) : probe(lesson));
  if (!t.has("scaled")) return {};
  double worst = 0;
  for_each_matrix(t["weights"], t["scaled"], [&](const arma::mat& W, const arma::mat& S) {
    for (arma::uword i = 0; i < W.n_rows; ++i) {
      const arma::uvec seen = arma::find(W.row(i) != 0);
      const arma::mat apart = arma::log(arma::mat(W.row(i)).cols(seen)) - arma::mat(S.row(i)).cols(seen);
      const double off = seen.is_empty() ? 0 : apart.max() - apart.min();
      worst = off <= worst ? worst : off;
    }
    return W;
  });
  return at_most(worst, 1e-9); // a logarithm of small weights
}

// Queries and keys of standard deviation 1 and any width: so have the scores, once scaled.
std::optional<Measured> unit_spread(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  constexpr std::size_t d = 16, n = 4 * d; // as many tokens as d would hide √n for √d
  LessonInput input = probe(lesson, {.n = n, .d_model = d, .heads = 4, .d_v = d / 4});
  for (const char* name : {"W_Q", "W_K"}) replace(input, name, times(input.given[name], 1 / std::sqrt(d)));
  if (lesson.takes(Input::heads)) { // values four times as wide as keys
    replace(input, "W_V", noise({d, 4 * d}));
    replace(input, "W_O", noise({4 * d, d}));
  }
  const Trace t = compute(input);
  if (!t.has("scaled")) return {};
  const double spread = arma::stddev(arma::vec(t["scaled"].data), 1);
  return Measured{spread > 0.8 && spread < 1.25, spread}; // of 64 tokens; a wrong scale is off by 2 or more
}

} // namespace

std::vector<Property> weight_properties() {
  return {{"rows_sum_to_one", rows_sum_to_one},
          {"weights_not_negative", weights_not_negative},
          {"shift_invariant", shift_invariant, weighs},
          {"large_scores", large_scores, weighs},
          {"equal_scores", equal_scores, weighs},
          {"winner_takes_all", winner_takes_all, weighs},
          {"odds", odds, weighs},
          {"unit_spread", unit_spread, weighs}};
}

// Properties of masks: what may not be seen does not matter, what may be seen does.

namespace {

std::size_t length(const LessonInput& input, const std::string& name) {
  return input.given[name].shape[0];
}

// Under a causal mask, another last token: the rows before it stay as they are.
std::optional<Measured> future_unseen(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const LessonInput before = causal_probe(lesson);
  const std::size_t last = length(before, "X") - 1;
  LessonInput after = before;
  replace(after, "X", with_other_row(before.given["X"], last));
  const Trace a = compute(before), b = compute(after);
  double moved = 0;
  for (std::size_t i = 0; i < last; ++i) moved = std::max(moved, row_moved(attended(b), attended(a), i));
  return at_most(moved, rounding);
}

// How many weights are not above 0 of those from the `nearest` to the `farthest` key back from a query's own
// place, under a causal mask.
Measured without_weight(std::size_t nearest, std::size_t farthest, const Lesson& lesson,
                        const Computation& compute) {
  const Trace t = compute(causal_probe(lesson));
  const Tensor& W = t["weights"];
  double missing = 0;
  for (std::size_t k = 0; k < matrix_count(W); ++k) {
    const arma::mat w = matrix(W, k);
    for (std::size_t i = 0; i < w.n_rows; ++i)
      for (std::size_t back = nearest; back <= std::min(i, farthest); ++back)
        missing += i - back < w.n_cols && w(i, i - back) > 0 ? 0 : 1;
  }
  return at_most(missing, 0);
}

std::optional<Measured> past_seen(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  return without_weight(1, std::numeric_limits<std::size_t>::max(), lesson, compute);
}

std::optional<Measured> self_seen(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  return without_weight(0, 0, lesson, compute);
}

// Another content of the padding: no row moves but the padding's own.
std::optional<Measured> padding_unseen(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const LessonInput before = padded_probe(lesson);
  const std::string source = keys_source(lesson);
  const std::size_t last = length(before, source) - 1;
  LessonInput after = before;
  replace(after, source, with_other_row(before.given[source], last));
  const Trace a = compute(before), b = compute(after);
  double moved = 0;
  for (std::size_t i = 0; i < length(before, "X"); ++i)
    if (source != "X" || i != last) moved = std::max(moved, row_moved(attended(b), attended(a), i));
  return at_most(moved, rounding);
}

Tensor first_tokens(const Tensor& A, std::size_t n) {
  Shape shape = A.shape;
  shape[0] = n;
  const auto end = static_cast<std::ptrdiff_t>(element_count(shape));
  return {std::move(shape), {A.data.begin(), A.data.begin() + end}};
}

// Row t of one causal pass is the last row of a pass over the first t tokens.
std::optional<Measured> prefix(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const LessonInput whole = causal_probe(lesson);
  const Trace all = compute(whole);
  if (!all.has("output")) return {};
  const Tensor& rows = attended(all);
  double worst = 0;
  for (std::size_t n = 1; n < length(whole, "X"); ++n) {
    LessonInput start = whole;
    for (const char* name : {"X", "labels"})
      if (whole.has(name)) replace(start, name, first_tokens(whole.given[name], n));
    const Trace t = compute(start);
    if (attended(t).shape.back() != rows.shape.back()) return at_most(1, 0);
    worst = std::max(worst, relative_difference(arma::mat(matrix(attended(t)).row(n - 1)),
                                                arma::mat(matrix(rows).row(n - 1))));
  }
  return at_most(worst, rounding);
}

// A query that may see nothing gives nothing a weight.
std::optional<Measured> blocked_row_zero(const Lesson& lesson, const LessonInput&,
                                         const Computation& compute) {
  LessonInput input = probe(lesson);
  const std::size_t n_q = length(input, "X"), n_k = length(input, keys_source(lesson));
  Tensor mask({n_q, n_k}, std::vector<double>(n_q * n_k, 1));
  for (std::size_t j = 0; j < n_k; ++j) mask.at({1, j}) = 0;
  replace(input, "mask_given", std::move(mask));
  const Tensor W = compute(input)["weights"];
  return at_most(row_moved(W, Tensor(W.shape), 1), 0);
}

} // namespace

std::vector<Property> mask_properties() {
  return only(&InputRules::masks, {{"future_unseen", future_unseen, &InputRules::may_be_causal},
                                   {"past_seen", past_seen},
                                   {"self_seen", self_seen},
                                   {"padding_unseen", padding_unseen},
                                   {"prefix", prefix, &InputRules::may_be_causal},
                                   {"blocked_row_zero", blocked_row_zero}});
}

} // namespace tfx
