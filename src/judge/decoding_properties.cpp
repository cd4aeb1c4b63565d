// Properties of decoding with kept keys and values.

#include "core/broadcast.hpp"
#include "input/options.hpp"
#include "judge/layer_properties.hpp"
#include "judge/probe.hpp"
#include "steps/layer_values.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

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
  if (lesson.stage != Stage::decoding) return {};
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
  if (lesson.stage != Stage::decoding) return {};
  LessonInput own = six_tokens(lesson);
  const mat before = last_row(compute(own));
  replace(own, "X", with_other_row(own.given["X"], 0));
  return at_least(absolute_difference(last_row(compute(own)), before), 1e-3);
}

// The first two tokens in each other's place: the last step notices.
std::optional<Measured> order_kept(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (lesson.stage != Stage::decoding) return {};
  LessonInput own = six_tokens(lesson);
  const mat before = last_row(compute(own));
  mat X = matrix(own.given["X"]);
  X.swap_rows(0, 1);
  replace(own, "X", to_tensor(X));
  return at_least(absolute_difference(last_row(compute(own)), before), 1e-3);
}

// Steps that come later, and room kept for them, change no step before.
std::optional<Measured> later_steps(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (lesson.stage != Stage::decoding) return {};
  LessonInput own = six_tokens(lesson);
  const mat all = matrix(compute(own)["output"]);
  replace(own, "X", to_tensor(mat(matrix(own.given["X"]).head_rows(4))));
  return at_most(relative_difference(matrix(compute(own)["output"]), mat(all.head_rows(4))), rounding);
}

} // namespace

std::vector<Property> decoding_properties() {
  return {{"as_uncached", as_uncached},
          {"first_kept", first_kept},
          {"order_kept", order_kept},
          {"later_steps", later_steps}};
}

} // namespace tfx
