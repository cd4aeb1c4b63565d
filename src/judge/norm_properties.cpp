// Properties of a layer's norm, of whichever kind the learner's input has.

#include "judge/layer_properties.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;
using page::NormRule;

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
  if (lesson.stage != Stage::layer) return {};
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
  if (lesson.stage != Stage::layer) return {};
  LessonInput base = norm_of_x(lesson, input), moved = base;
  replace(moved, "X", to_tensor(mat(matrix(base.given["X"]) + 3)));
  const Trace a = compute(base), b = compute(moved);
  double off = relative_difference(b["norm_1"], a["norm_1"]);
  if (input.norm_first) off = std::max(off, relative_difference(b["concat"], a["concat"]));
  return at_most(off, 1e-10); // 3 takes the last digits of what it is added to
}

// Each token's numbers spread by 1: over d − 1 in The Annotated Transformer's norm, over d in nn.LayerNorm.
double spread_of(const mat& N, NormRule rule) {
  return rule == NormRule::annotated ? arma::stddev(N.row(0), 0) : std::sqrt(arma::var(N.row(0), 1));
}

std::optional<Measured> norm_spread(const Lesson& lesson, const LessonInput& input,
                                    const Computation& compute) {
  if (lesson.stage != Stage::layer) return {};
  const LessonInput base = norm_of_x(lesson, input);
  const double spread = spread_of(normed(base, 10 * matrix(base.given["X"]), compute), input.norm);
  return at_most(std::abs(spread - 1), 1e-6); // ε takes that much of a spread of 10
}

// A token whose numbers spread as little as ε keeps half of it: half the spread, or half the variance.
std::optional<Measured> norm_epsilon(const Lesson& lesson, const LessonInput& input,
                                     const Computation& compute) {
  if (lesson.stage != Stage::layer) return {};
  const LessonInput base = norm_of_x(lesson, input);
  const bool annotated = input.norm == NormRule::annotated;
  mat X = matrix(base.given["X"]);
  X = X.each_col() - arma::mean(X, 1).eval();
  X *= (annotated ? 1e-6 : std::sqrt(1e-5)) / spread_of(X, input.norm);
  const double spread = spread_of(normed(base, X, compute), input.norm);
  return at_most(std::abs((annotated ? spread : spread * spread) - 0.5), 1e-6);
}

// Twice gamma is twice the norm; beta is added.
std::optional<Measured> norm_gain(const Lesson& lesson, const LessonInput& input,
                                  const Computation& compute) {
  if (lesson.stage != Stage::layer) return {};
  LessonInput base = norm_of_x(lesson, input);
  const mat X = matrix(base.given["X"]), once = normed(base, X, compute);
  replace(base, "gain_1", Tensor({X.n_cols}, std::vector<double>(X.n_cols, 2)));
  replace(base, "shift_1", Tensor({X.n_cols}, std::vector<double>(X.n_cols, 0.5)));
  return at_most(relative_difference(normed(base, X, compute), mat(2 * once + 0.5)), rounding);
}

} // namespace

std::vector<Property> norm_properties() {
  return {{"norm_alone", norm_alone},
          {"norm_shift", norm_shift},
          {"norm_spread", norm_spread},
          {"norm_epsilon", norm_epsilon},
          {"norm_gain", norm_gain}};
}

} // namespace tfx
