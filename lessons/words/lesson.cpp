// Lesson words: words are vectors; dot product, cosine and distance say different things about them.
// Source: fun-transformer, part 1; happy-llm, 2.1.2 (dot product and Euclidean distance).

#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "page/formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"

#include <cmath>

namespace tfx {

namespace {

void check_identities(Trace& t) {
  double law_of_cosines = 0, beyond = 0, size = 1;
  for_each_matrix(t["X"], [&](const arma::mat& X) {
    const page::Words w = page::words(X);
    const arma::mat squares = arma::square(w.norms) * arma::ones(1, X.n_rows);
    size = std::max(size, w.dots.max());
    law_of_cosines = std::max(
        law_of_cosines, absolute_difference(arma::square(w.distances), squares + squares.t() - 2 * w.dots));
    beyond = std::max(beyond, arma::mat(arma::abs(w.cosines)).max() - 1);
    return X;
  });
  t.check_at_most("law_of_cosines", law_of_cosines, rounding * size * 10);
  t.check_at_most("cosine_within_one", beyond, rounding);
  const Tensor twice =
      for_each_matrix(t["X"], [](const arma::mat& X) { return arma::mat(page::words(2 * X).cosines); });
  t.check_at_most("cosine_ignores_length", relative_difference(twice, t["cosines"]), rounding);
}

// A word whose largest dot product is with a longer word than the one it is most aligned with.
void find_misleading_dot(Trace& t) {
  const arma::mat dots = matrix(t["dots"]), cosines = matrix(t["cosines"]);
  for (arma::uword i = 0; i < dots.n_rows; ++i) {
    arma::rowvec dot = dots.row(i), cosine = cosines.row(i);
    dot(i) = cosine(i) = -arma::datum::inf;
    const arma::uword by_dot = dot.index_max(), by_cosine = cosine.index_max();
    if (dots.n_rows < 3 || cosine(by_cosine) <= cosine(by_dot) + 1e-9) continue;
    t.facts["word"] = row_label(t, "X", i);
    t.facts["by_dot"] = row_label(t, "X", by_dot);
    t.facts["by_cosine"] = row_label(t, "X", by_cosine);
    t.facts["cosine_by_dot"] = cosine(by_dot);
    t.facts["cosine_best"] = cosine(by_cosine);
    return;
  }
}

/// A trained model's words near to these, so that each number of the table of neighbours is a cell.
void compare_neighbours(Trace& t, const LessonInput& input) {
  give(t, input, "near");
  t.add("near_norms", op::row_norm("near"), Role::recap);
  t.add("near_dots", op::matmul_transposed("near", "near"), Role::recap);
  t.add("near_cosines", op::cosine("near_dots", "near_norms"), Role::recap);
  t.add("near_distances", op::distance("near"), Role::recap);
  t.experiments = input.given.experiments;
}

} // namespace

Trace run_words(const LessonInput& input) {
  Trace t = begin_trace("words", input, "dots");
  const std::string X = input.has("X") ? "X" : "X_Q";
  give(t, input, X);
  if (X != "X") t.steps.back().name = "X";
  t.add("norms", op::row_norm("X"), Role::result, "‖x‖ = √Σ x²");
  t.add("dots", op::matmul_transposed("X", "X"), Role::result);
  t.add("cosines", op::cosine("dots", "norms"), Role::result);
  t.add("distances", op::distance("X"), Role::result);

  if (input.has("near")) compare_neighbours(t, input);
  check_row_sum(t, "X", "X", "word_is_a_sum");
  check_identities(t);
  find_misleading_dot(t);
  return t;
}

} // namespace tfx
