// Properties of a block since 2017, on inputs of their own: its norm, its gate, its shared keys, its window.

#include "core/tensor.hpp"
#include "input/options.hpp"
#include "judge/probe.hpp"
#include "judge/property_lists.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;

std::size_t width_of_head(const LessonInput& input) {
  return input.given["W_Q"].shape.back() / input.heads;
}

// A gain of 1 leaves every token with a mean square of 1; its numbers are large beside ε.
std::optional<Measured> rms_one(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = probe(lesson);
  replace(own, "X", times(own.given["X"], 10));
  const mat N = matrix(compute(own)["attn_norm"]);
  return at_most(arma::abs(arma::mean(arma::square(N), 1) - 1).max(), 1e-6);
}

// A gate that multiplies by 0 lets nothing through.
std::optional<Measured> gate_closed(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = probe(lesson);
  zero(own, "W_3");
  return at_most(arma::abs(matrix(compute(own)["fed"])).max(), 0);
}

// Twice W_3 is twice what comes out: that branch is not bent.
std::optional<Measured> gate_linear(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput once = probe(lesson), twice = once;
  replace(twice, "W_3", times(once.given["W_3"], 2));
  return at_most(relative_difference(compute(twice)["fed"], times(compute(once)["fed"], 2)), rounding);
}

// silu(0) = 0: with W_1 = 0 nothing comes out.
std::optional<Measured> gate_at_zero(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = probe(lesson);
  zero(own, "W_1");
  return at_most(arma::abs(matrix(compute(own)["fed"])).max(), 0);
}

// Other values of the first head of keys move the heads of the first group, and no others.
std::optional<Measured> groups_apart(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const LessonInput own = probe(lesson);
  LessonInput other = own;
  Tensor W = own.given["W_V"];
  const Tensor noisy = noise(W.shape);
  for (std::size_t i = 0; i < W.size(); ++i)
    if (i % W.shape.back() < width_of_head(own)) W.data[i] = noisy.data[i];
  replace(other, "W_V", W);
  const Tensor before = compute(own)["attn.heads"], after = compute(other)["attn.heads"];
  double least = 1, others = 0;
  for (std::size_t h = 0; h < own.heads; ++h) {
    const double moved = absolute_difference(matrix(before, h), matrix(after, h));
    if (h < own.heads / own.kv_heads)
      least = std::min(least, moved);
    else
      others = std::max(others, moved);
  }
  return least > rounding ? at_most(others, 0) : Measured{false, 1};
}

// A query sees itself and those before it, each with a weight, and none behind it.
std::optional<Measured> block_causal(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = probe(lesson);
  for (const char* name : {"W_Q", "W_K"})
    replace(own, name, times(own.given[name], 0.1)); // no weight rounds to 0
  const Tensor weights = compute(own)["attn.weights"];
  double behind = 0, least = 1;
  for (std::size_t h = 0; h < matrix_count(weights); ++h) {
    const mat W = matrix(weights, h);
    for (arma::uword q = 0; q < W.n_rows; ++q)
      for (arma::uword k = 0; k < W.n_cols; ++k)
        if (k > q)
          behind = std::max(behind, W(q, k));
        else
          least = std::min(least, W(q, k));
  }
  return least > rounding ? at_most(behind, 0) : Measured{false, 1};
}

// Other columns of W_Q for the second head move its weights and those of no other head.
std::optional<Measured> block_heads_apart(const Lesson& lesson, const LessonInput&,
                                          const Computation& compute) {
  const LessonInput own = probe(lesson);
  LessonInput other = own;
  Tensor W = own.given["W_Q"];
  const Tensor noisy = noise(W.shape);
  for (std::size_t i = 0; i < W.size(); ++i)
    if (i % W.shape.back() / width_of_head(own) == 1) W.data[i] = noisy.data[i];
  replace(other, "W_Q", W);
  const Tensor before = compute(own)["attn.weights"], after = compute(other)["attn.weights"];
  double others = 0;
  for (std::size_t h = 0; h < own.heads; ++h)
    if (h != 1) others = std::max(others, absolute_difference(matrix(before, h), matrix(after, h)));
  return absolute_difference(matrix(before, 1), matrix(after, 1)) > rounding ? at_most(others, 0)
                                                                             : Measured{false, 1};
}

// With a window of 2, another first token moves its own row and the next, and no later one.
std::optional<Measured> window_edge(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = probe(lesson);
  own.window = 2;
  LessonInput other = own;
  replace(other, "X", with_other_row(own.given["X"], 0));
  const Tensor before = compute(own)["output"], after = compute(other)["output"];
  if (row_moved(before, after, 1) <= rounding) return Measured{false, 1};
  double later = 0;
  for (std::size_t i = 2; i < before.shape[0]; ++i) later = std::max(later, row_moved(before, after, i));
  return at_most(later, 0);
}

// All places further on: the same output.
std::optional<Measured> block_shift(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput here = probe(lesson), there = here;
  Tensor positions = here.given["positions"];
  for (double& p : positions.data) p += 7;
  replace(there, "positions", positions);
  return at_most(relative_difference(compute(there)["output"], compute(here)["output"]), 1e-10);
}

// Attention and feed-forward that add nothing leave X as it is.
std::optional<Measured> block_stream(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = probe(lesson);
  zero(own, "W_O"), zero(own, "W_2");
  return at_most(relative_difference(compute(own)["output"], own.given["X"]), 0);
}

} // namespace

std::vector<Property> block_attention_properties() {
  return only(takes<Input::todays_block>,
              {{"block_causal", block_causal}, {"block_heads_apart", block_heads_apart}});
}

std::vector<Property> block_properties() {
  return only(takes<Input::todays_block>, {{"rms_one", rms_one},
                                           {"gate_closed", gate_closed},
                                           {"gate_linear", gate_linear},
                                           {"gate_at_zero", gate_at_zero},
                                           {"groups_apart", groups_apart},
                                           {"window_edge", window_edge},
                                           {"block_shift", block_shift},
                                           {"block_stream", block_stream}});
}

} // namespace tfx
