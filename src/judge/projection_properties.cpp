// Properties of Q, K and V: which numbers they are made of.

#include "judge/attention_properties.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

#include <algorithm>

namespace tfx {

namespace {

const std::vector<std::string> letters = {"Q", "K", "V"};

// What the lesson projects to Q, K or V: a block with the norm first projects the norm's output.
std::string projected(const Lesson& lesson, const Trace& t, const std::string& letter) {
  if (lesson.stage == Stage::memory && letter != "Q") return "memory";
  return t.has("norm_1") ? "norm_1" : "X";
}

// With a single 1 at (a, b) in W, column b of X·W is column a of X, and all others are 0.
std::optional<Measured> weight_cell(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!projects(lesson)) return {};
  LessonInput input = probe(lesson);
  const arma::uword a = 1, b = 2;
  for (const std::string& letter : letters) {
    Tensor W(input.given["W_" + letter].shape);
    W.at({a, b}) = 1;
    replace(input, "W_" + letter, std::move(W));
  }
  const Trace t = compute(input);
  double worst = 0;
  for (const std::string& letter : letters) {
    if (!t.has(letter)) continue;
    arma::mat expected(arma::size(matrix(t[letter])), arma::fill::zeros);
    const arma::mat X = matrix(t[projected(lesson, t, letter)]);
    if (expected.n_rows != X.n_rows) return at_most(1, 0);
    expected.col(b) = X.col(a);
    worst = std::max(worst, relative_difference(matrix(t[letter]), expected));
  }
  return at_most(worst, rounding);
}

// Another W_Q moves Q alone, another W_K K alone, another W_V V alone.
std::optional<Measured> own_weights(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!projects(lesson)) return {};
  const LessonInput before = probe(lesson);
  const Trace a = compute(before);
  double wrong = 0;
  for (const std::string& changed : letters) {
    LessonInput after = before;
    replace(after, "W_" + changed, noise(before.given["W_" + changed].shape));
    const Trace b = compute(after);
    for (const std::string& letter : letters)
      if (a.has(letter))
        wrong += (relative_difference(a[letter], b[letter]) > rounding) != (letter == changed);
  }
  return at_most(wrong, 0);
}

// b_Q is added to every row of Q, b_K to K, b_V to V.
std::optional<Measured> bias_added(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!projects(lesson)) return {};
  const LessonInput before = probe(lesson);
  LessonInput after = before;
  for (const std::string& letter : letters)
    replace(after, "b_" + letter, noise({before.given["W_" + letter].shape.back()}));
  const Trace a = compute(before), b = compute(after);
  double worst = 0;
  for (const std::string& letter : letters) {
    if (!a.has(letter)) continue;
    Tensor expected = a[letter];
    const Tensor& bias = after.given["b_" + letter];
    for (std::size_t i = 0; i < expected.size(); ++i) expected.data[i] += bias.data[i % bias.size()];
    worst = std::max(worst, relative_difference(b[letter], expected));
  }
  return at_most(worst, rounding);
}

// What moves Q, K and V when `source` is another: those that should, and no other.
std::optional<Measured> moves_only(const std::string& source, const std::vector<std::string>& moved,
                                   const Lesson& lesson, const Computation& compute) {
  if (lesson.stage != Stage::memory) return {};
  const LessonInput before = probe(lesson);
  LessonInput after = before;
  replace(after, source, noise(before.given[source].shape));
  const Trace a = compute(before), b = compute(after);
  double wrong = 0;
  for (const std::string& letter : letters)
    wrong +=
        (relative_difference(a[letter], b[letter]) > rounding) != (std::ranges::count(moved, letter) > 0);
  return at_most(wrong, 0);
}

std::optional<Measured> decoder_asks(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  return moves_only("X", {"Q"}, lesson, compute);
}

std::optional<Measured> encoder_answers(const Lesson& lesson, const LessonInput&,
                                        const Computation& compute) {
  return moves_only("memory", {"K", "V"}, lesson, compute);
}

} // namespace

std::vector<Property> projection_properties() {
  return {{"weight_cell", weight_cell},
          {"own_weights", own_weights},
          {"bias_added", bias_added},
          {"decoder_asks", decoder_asks},
          {"encoder_answers", encoder_answers}};
}

} // namespace tfx
