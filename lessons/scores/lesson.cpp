// Lesson scores: every query meets every key. Source: fun-transformer, part 3; happy-llm, 2.1.2.

#include "core/tensor.hpp"
#include "page/formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"

#include <cmath>

namespace tfx {

namespace {

// Scores are linear in the query: s(q_1 + q_2) = s(q_1) + s(q_2).
void check_linear(Trace& t) {
  const arma::mat Q = matrix(t["Q"]), K = matrix(t["K"]), S = matrix(t["scores"]);
  check_row_sum(t, "Q", "scores", "row_is_a_sum");
  if (Q.n_rows < 2) return;
  const arma::mat together = page::scores(Q.row(0) + Q.row(1), K);
  t.check_at_most("linear", relative_difference(together, S.row(0) + S.row(1)), rounding);
}

// Words in another order: the same scores in another place.
void check_reordered(Trace& t) {
  const Tensor reversed = for_each_matrix(t["Q"], t["K"], [](const arma::mat& Q, const arma::mat& K) {
    return arma::mat(arma::reverse(arma::reverse(page::scores(arma::reverse(Q), arma::reverse(K))), 1));
  });
  t.check_at_most("reordered", relative_difference(reversed, t["scores"]), rounding);
}

// The dot product rewards length: the key with the largest score need not be the best aligned one.
void compare_with_cosine(Trace& t) {
  if (t["scores"].rank() > 2) return;
  const arma::mat Q = matrix(t["Q"]), K = matrix(t["K"]), S = matrix(t["scores"]);
  const arma::vec q = arma::sqrt(arma::sum(arma::square(Q), 1)),
                  k = arma::sqrt(arma::sum(arma::square(K), 1));
  if (q.min() == 0 || k.min() == 0) return;
  const arma::mat cosines = S / (q * k.t());
  constexpr arma::uword readable = 8;
  if (S.n_cols <= readable) {
    t.facts["cosines"] = arma::conv_to<std::vector<double>>::from(cosines.row(0));
    t.facts["first_query"] = row_label(t, "Q", 0);
  }
  double misled = 0;
  for (arma::uword i = 0; i < S.n_rows; ++i) {
    const double aligned = cosines.row(i).max();
    misled += cosines(i, S.row(i).index_max()) < aligned - 1e-9;
  }
  if (misled > 0) t.facts["misled"] = misled, t.facts["queries"] = static_cast<double>(S.n_rows);
}

// x_i·(W_Q·W_Kᵀ)·x_jᵀ: one matrix decides what fits what, in two factors.
void compare_with_one_form(Trace& t) {
  if (!t.has("W_Q") || !t.has("W_K") || !t.has("X") || t.has("b_Q") || t.has("b_K")) return;
  for (const char* name : {"X", "W_Q", "W_K"})
    if (t[name].rank() != 2) return;
  const arma::mat X = matrix(t["X"]), W = matrix(t["W_Q"]) * matrix(t["W_K"]).t();
  t.facts["form_apart"] = relative_difference(arma::mat(X * W * X.t()), matrix(t["scores"]));
}

} // namespace

Trace run_scores(const LessonInput& input) {
  Trace t = begin_trace("scores", input, "scores");
  add_projection(t, input, "Q", Role::recap);
  add_projection(t, input, "K", Role::recap);
  add_scores(t, "Q", "K", Role::result);

  check_linear(t);
  check_reordered(t);
  compare_with_cosine(t);
  compare_with_one_form(t);
  const arma::mat S = matrix(t["scores"]);
  for (arma::uword i = 0; i < S.n_rows; ++i) {
    const double sum = arma::accu(S.row(i));
    if (std::abs(sum - 1) < 1e-3) continue; // by chance
    t.facts["row_sum"] = sum;
    t.facts["row"] = row_label(t, "scores", i);
    break;
  }
  return t;
}

} // namespace tfx
