// Properties of queries and keys that turn with their place, on inputs of their own. One of them looks at a
// right result, as no other property may: which columns are paired is a convention, and shows in weights of
// that convention alone.

#include "core/tensor.hpp"
#include "judge/probe.hpp"
#include "judge/property_lists.hpp"
#include "lessons/rope/llama.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;

/// The lesson on turning; a whole block has properties of its own.
bool turns_alone(const Lesson& lesson) {
  return lesson.takes(Input::rotary) && !lesson.takes(Input::todays_block);
}

constexpr double turned = 1e-10; // an angle of p carries p roundings, a score the lengths of both

LessonInput turning(const Lesson& lesson, const LessonInput& like, std::size_t width = 6) {
  LessonInput own = probe(lesson, {.n = 5, .d_model = width, .d_v = width});
  own.pairs = like.pairs, own.rotary_base = like.rotary_base;
  return own;
}

// X = 0 but for biases: every query and every key is (1, 0, …, 0).
LessonInput alike(const Lesson& lesson, const LessonInput& like) {
  LessonInput own = turning(lesson, like, 4);
  replace(own, "X", Tensor(own.given["X"].shape));
  for (const char* bias : {"b_Q", "b_K"}) replace(own, bias, Tensor({4}, {1, 0, 0, 0}));
  return own;
}

// All places further on: the same scores.
std::optional<Measured> rotary_shift(const Lesson& lesson, const LessonInput& input,
                                     const Computation& compute) {
  const LessonInput here = turning(lesson, input);
  LessonInput there = here;
  Tensor positions = here.given["positions"];
  for (double& p : positions.data) p += 7;
  replace(there, "positions", positions);
  return at_most(relative_difference(compute(there)["scores"], compute(here)["scores"]), turned);
}

// A turn keeps every length.
std::optional<Measured> rotary_length(const Lesson& lesson, const LessonInput& input,
                                      const Computation& compute) {
  const Trace t = compute(turning(lesson, input));
  const auto lengths = [&](const char* name) {
    return mat(arma::sqrt(arma::sum(arma::square(matrix(t[name])), 1)));
  };
  return at_most(std::max(relative_difference(lengths("Q_turned"), lengths("Q")),
                          relative_difference(lengths("K_turned"), lengths("K"))),
                 rounding);
}

// A query and a key that are both (1, 0, …, 0) stand at the angle of their distance: the score is its cosine,
// and falls from the diagonal to its neighbours.
std::optional<Measured> rotary_distance(const Lesson& lesson, const LessonInput& input,
                                        const Computation& compute) {
  const mat scores = matrix(compute(alike(lesson, input))["scores"]);
  double off = 0;
  for (arma::uword i = 0; i < scores.n_rows; ++i)
    for (arma::uword j = 0; j < scores.n_cols; ++j)
      off = std::max(off, std::abs(scores(i, j) - std::cos(static_cast<double>(i) - static_cast<double>(j))));
  return at_most(off, turned);
}

// The first column turns towards the other one of its pair: at place 1 by one radian, so that the sum of the
// row is cos 1 + sin 1.
std::optional<Measured> rotary_direction(const Lesson& lesson, const LessonInput& input,
                                         const Computation& compute) {
  const Trace t = compute(alike(lesson, input));
  double off = 0;
  for (const char* name : {"Q_turned", "K_turned"}) {
    const mat A = matrix(t[name]);
    off = std::max(off, std::abs(arma::accu(A.row(1)) - (std::cos(1.0) + std::sin(1.0))));
  }
  return at_most(off, rounding);
}

// From each pair to the next the turn of a place shrinks by base^(2/w); the first turns by one radian.
std::optional<Measured> rotary_speeds(const Lesson& lesson, const LessonInput& input,
                                      const Computation& compute) {
  double off = 0;
  for (const double base : {10'000.0, 500'000.0}) {
    LessonInput own = turning(lesson, input, 8);
    own.rotary_base = base;
    const mat angles = matrix(compute(own)["angles"]);
    const double slower = std::pow(base, 2.0 / 8);
    off = std::max(off, std::abs(angles(1, 0) - 1));
    for (arma::uword i = 1; i < angles.n_cols; ++i)
      off = std::max(off, std::abs(angles(1, i) * slower / angles(1, i - 1) - 1));
  }
  return at_most(off, rounding);
}

// The exception (see above): a Llama's weights, and PyTorch's logits of them.
std::optional<Measured> rotary_pairs(const Lesson&, const LessonInput&, const Computation& compute) {
  static const SmallLlama llama;
  std::vector<Tensor> scores;
  for (std::size_t h = 0; h < llama.heads(); ++h) scores.push_back(compute(llama.head(h))["scores"]);
  return at_most(llama.logits_off(scores), turned);
}

} // namespace

std::vector<Property> rotary_properties() {
  return only(turns_alone, {{"rotary_shift", rotary_shift},
                            {"rotary_length", rotary_length},
                            {"rotary_distance", rotary_distance},
                            {"rotary_direction", rotary_direction},
                            {"rotary_speeds", rotary_speeds},
                            {"rotary_pairs", rotary_pairs}});
}

} // namespace tfx
