#include "judge/property_lists.hpp"

#include "core/tensor.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

// Properties of a layer's residuals, feed-forward and dropout.

namespace {

using arma::mat;

LessonInput layer_like(const Lesson& lesson, const LessonInput& input, const ProbeSize& size = {}) {
  LessonInput own = probe(lesson, size);
  own.norm = input.norm, own.norm_first = input.norm_first;
  return own;
}

// Attention and feed-forward that add nothing leave X as it is; behind a norm that stands last, they leave
// the norm of X: mean 0, and a spread.
std::optional<Measured> nothing_added(const Lesson& lesson, const LessonInput& input,
                                      const Computation& compute) {
  LessonInput own = layer_like(lesson, input);
  zero(own, "W_O"), zero(own, "W_2");
  const Tensor output = compute(own)["output"];
  if (own.norm_first) return at_most(relative_difference(output, own.given["X"]), 0);
  const mat N = matrix(output);
  const double mean = arma::abs(arma::mean(N, 1)).max(), spread = arma::stddev(N, 0, 1).eval().min();
  return at_most(std::max(mean, spread > 0.5 ? 0.0 : 1.0), rounding);
}

// W_1 = (I −I) and W_2 = (I I)ᵀ: max(x, 0) + max(−x, 0) = |x|. Without the bend, or with it elsewhere,
// nothing does that.
std::optional<Measured> feed_forward_bends(const Lesson& lesson, const LessonInput& input,
                                           const Computation& compute) {
  LessonInput own = layer_like(lesson, input);
  const arma::uword d = own.given["X"].shape.back();
  const mat I(d, d, arma::fill::eye);
  replace(own, "W_1", to_tensor(mat(arma::join_rows(I, -I))));
  replace(own, "W_2", to_tensor(mat(arma::join_cols(I, I))));
  replace(own, "b_1", Tensor({2 * d}));
  replace(own, "b_2", Tensor({d}));
  const Trace t = compute(own);
  const mat read = matrix(t[own.norm_first ? "norm_2" : "norm_1"]);
  return at_most(relative_difference(matrix(t["feed_forward"]), mat(arma::abs(read))), rounding);
}

// With W_1 = 0 only the biases are left: max(b_1, 0)·W_2 + b_2 in every row.
std::optional<Measured> feed_forward_biased(const Lesson& lesson, const LessonInput& input,
                                            const Computation& compute) {
  LessonInput own = layer_like(lesson, input);
  zero(own, "W_1"), zero(own, "W_2");
  const Tensor b_1 = noise(own.given["b_1"].shape), b_2 = noise(own.given["b_2"].shape, 98);
  replace(own, "b_1", b_1), replace(own, "b_2", b_2);
  const Trace t = compute(own);
  const mat hidden = matrix(t["hidden"]), fed = matrix(t["feed_forward"]);
  return at_most(std::max(arma::abs(hidden.each_row() - arma::rowvec(b_1.data)).max(),
                          arma::abs(fed.each_row() - arma::rowvec(b_2.data)).max()),
                 rounding);
}

Tensor twice(const Tensor& X) {
  Tensor both({2, X.shape[0], X.shape[1]});
  set_matrix(both, 0, matrix(X)), set_matrix(both, 1, matrix(X));
  return both;
}

// In prediction nothing is left to chance: the same sentence twice in a batch, the same output.
std::optional<Measured> prediction_alike(const Lesson& lesson, const LessonInput& input,
                                         const Computation& compute) {
  LessonInput own = layer_like(lesson, input);
  replace(own, "X", twice(own.given["X"]));
  const Tensor output = compute(own)["output"];
  return at_most(relative_difference(matrix(output, 0), matrix(output, 1)), 0);
}

// Four draws, each without another quarter of the weights: on average they are the weights.
std::optional<Measured> dropout_mean(const Lesson& lesson, const LessonInput& input,
                                     const Computation& compute) {
  LessonInput own = layer_like(lesson, input);
  own.dropout = 0.25;
  const std::size_t n = own.given["X"].shape[0];
  Tensor weights, sum;
  for (std::size_t part = 0; part < 4; ++part) {
    Tensor keep({own.heads, n, n});
    for (std::size_t i = 0; i < keep.size(); ++i) keep.data[i] = i % 4 == part ? 0 : 1;
    replace(own, "keep", keep);
    const Trace t = compute(own);
    weights = t["weights"];
    const Tensor& dropped = t["dropped"];
    if (part == 0) sum = Tensor(dropped.shape);
    for (std::size_t i = 0; i < sum.size(); ++i) sum.data[i] += dropped.data[i] / 4;
  }
  return at_most(relative_difference(sum, weights), rounding);
}

} // namespace

std::vector<Property> layer_properties() {
  return only(takes<Input::feed_forward>, {{"nothing_added", nothing_added},
                                           {"feed_forward_bends", feed_forward_bends},
                                           {"feed_forward_biased", feed_forward_biased},
                                           {"prediction_alike", prediction_alike},
                                           {"dropout_mean", dropout_mean}});
}

// Properties of a layer's norm, of whichever kind the learner's input has.

namespace {

using arma::mat;

// A layer whose attention adds nothing, so that the first norm reads X wherever it stands.
LessonInput norm_of_x(const Lesson& lesson, const LessonInput& input) {
  LessonInput own = probe(lesson);
  own.norm = input.norm, own.norm_first = input.norm_first;
  replace(own, "W_O", Tensor(own.given["W_O"].shape));
  return own;
}

// The first norm's result for `X`.
mat normed(const LessonInput& base, const mat& X, const Computation& compute) {
  LessonInput input = base;
  replace(input, "X", to_tensor(X));
  return matrix(compute(input)["norm_1"]);
}

// Other words beside it, the same norm: only the first token stays.
std::optional<Measured> norm_alone(const Lesson& lesson, const LessonInput& input,
                                   const Computation& compute) {
  const LessonInput base = norm_of_x(lesson, input);
  const mat X = matrix(base.given["X"]);
  mat other = 2 * X + 1;
  other.row(0) = X.row(0);
  return at_most(
      relative_difference(mat(normed(base, other, compute).row(0)), mat(normed(base, X, compute).row(0))),
      rounding);
}

// A number added to all of a token's numbers is gone after the norm, and no query, key or value knows of it.
std::optional<Measured> norm_shift(const Lesson& lesson, const LessonInput& input,
                                   const Computation& compute) {
  LessonInput base = norm_of_x(lesson, input), moved = base;
  replace(moved, "X", to_tensor(mat(matrix(base.given["X"]) + 3)));
  const Trace a = compute(base), b = compute(moved);
  double off = relative_difference(b["norm_1"], a["norm_1"]);
  if (input.norm_first) off = std::max(off, relative_difference(b["concat"], a["concat"]));
  return at_most(off, 1e-10); // 3 takes the last digits of what it is added to
}

// Each token's numbers spread by 1: over d − 1 in The Annotated Transformer's norm, over d in nn.LayerNorm.
double spread_of(const mat& N, Norm rule) {
  return rule == Norm::annotated ? arma::stddev(N.row(0), 0) : std::sqrt(arma::var(N.row(0), 1));
}

std::optional<Measured> norm_spread(const Lesson& lesson, const LessonInput& input,
                                    const Computation& compute) {
  const LessonInput base = norm_of_x(lesson, input);
  const double spread = spread_of(normed(base, 10 * matrix(base.given["X"]), compute), input.norm);
  return at_most(std::abs(spread - 1), 1e-6); // ε takes that much of a spread of 10
}

// A token whose numbers spread as little as ε keeps half of it: half the spread, or half the variance.
std::optional<Measured> norm_epsilon(const Lesson& lesson, const LessonInput& input,
                                     const Computation& compute) {
  const LessonInput base = norm_of_x(lesson, input);
  const bool annotated = input.norm == Norm::annotated;
  mat X = matrix(base.given["X"]);
  X = X.each_col() - arma::mean(X, 1).eval();
  X *= (annotated ? 1e-6 : std::sqrt(1e-5)) / spread_of(X, input.norm);
  const double spread = spread_of(normed(base, X, compute), input.norm);
  return at_most(std::abs((annotated ? spread : spread * spread) - 0.5), 1e-6);
}

// Twice gamma is twice the norm; beta is added.
std::optional<Measured> norm_gain(const Lesson& lesson, const LessonInput& input,
                                  const Computation& compute) {
  LessonInput base = norm_of_x(lesson, input);
  const mat X = matrix(base.given["X"]), once = normed(base, X, compute);
  replace(base, "gain_1", Tensor({X.n_cols}, std::vector<double>(X.n_cols, 2)));
  replace(base, "shift_1", Tensor({X.n_cols}, std::vector<double>(X.n_cols, 0.5)));
  return at_most(relative_difference(normed(base, X, compute), mat(2 * once + 0.5)), rounding);
}

} // namespace

std::vector<Property> norm_properties() {
  return only(takes<Input::norms>, {{"norm_alone", norm_alone},
                                    {"norm_shift", norm_shift},
                                    {"norm_spread", norm_spread},
                                    {"norm_epsilon", norm_epsilon},
                                    {"norm_gain", norm_gain}});
}

} // namespace tfx
