// Lesson lookup: a dictionary takes one value; attention takes a mixture of all. Source: happy-llm, 2.1.2.

#include "core/number.hpp"
#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "page/formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/explain.hpp"
#include "trace/trace.hpp"

namespace tfx {

namespace {

// How far the mixture of the last query is from what the hard look-up took.
void state_facts(Trace& t) {
  const arma::mat scores = matrix(t["scores"]), weights = matrix(t["weights"]);
  const arma::uword last = scores.n_rows - 1, best = scores.row(last).index_max();
  const arma::uvec as_good = arma::find(scores.row(last) == scores(last, best));
  t.facts["query"] = row_label(t, "scores", last);
  if (as_good.n_elem == 1) {
    t.facts["best_key"] = row_label(t, "K", best);
    t.facts["best_score"] = scores(last, best);
    t.facts["best_weight"] = weights(last, best);
  }
  if (t["output"].shape.back() == 1) { // values of several numbers are compared in the matrices
    t.facts["hard_value"] = matrix(t["hard_output"])(last, 0);
    t.facts["soft_value"] = matrix(t["output"])(last, 0);
  }
  if (t.has("given_output"))
    t.facts["given_sum"] = arithmetic(explain(t, "given_output", {0, 0}, 0, 8, 4), 8, 4) + " = " +
                           format_number(t["given_output"].data[0], 4);
}

} // namespace

Trace run_lookup(const LessonInput& input) {
  Trace t = begin_trace("lookup", input, "output");
  add_projection(t, input, "V", Role::recap);
  if (input.has("given_weights")) { // weights chosen by hand, as the tutorial does first
    give(t, input, "given_weights");
    add_output(t, "given_output", "given_weights", "V", Role::result);
  }
  add_projection(t, input, "Q", Role::recap);
  add_projection(t, input, "K", Role::recap);
  add_scores(t, "Q", "K", Role::result);
  refuse_not_finite(t, "scores");

  t.add("hard", op::first_max("scores"), Role::result);
  add_output(t, "hard_output", "hard", "V", Role::result);

  add_weights(
      t, "scores", Role::result,
      masked_row_value(input.masked_row)); // not yet scaled: the lesson softmax says why one divides by √d_k
  add_output(t, "output", "weights", "V", Role::result);

  check_rows_sum_to_one(t, "weights");
  check_convex(t, "weights", "V", "output");
  state_facts(t);
  return t;
}

} // namespace tfx
