// Lesson attention: each row mixes the values by its weights. Source: fun-transformer, part 5; Vaswani et al.
// 2017, 3.2.1.

#include "core/number.hpp"
#include "lessons/attention/recurrence.hpp"
#include "page/formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"

namespace tfx {

namespace {

// "output[q1] = 0.24·V[v1] + 0.01·V[v2] + …": the output row in words; small terms are left out.
std::vector<std::string> mixtures(const Trace& t) {
  constexpr std::size_t max_rows = 8;
  constexpr double visible = 0.005;
  const arma::mat W = matrix(t["weights"]);
  std::vector<std::string> lines;
  for (arma::uword i = 0; i < W.n_rows && i < max_rows; ++i) {
    const std::string row = "output[" + row_label(t, "weights", i) + "] = ";
    std::string line;
    const double sum = arma::accu(W.row(i));
    if (!(sum > 0)) { // the query may see nothing: 0 or nan throughout
      lines.push_back(row + format_number(sum, 2));
      continue;
    }
    for (const arma::uword j : arma::uvec(arma::stable_sort_index(W.row(i).t(), "descend")))
      if (W(i, j) >= visible)
        line += (line.empty() ? "" : " + ") + format_number(W(i, j), 2) + "·V[" + row_label(t, "V", j) + "]";
    lines.push_back(row + (line.empty() ? "…" : line));
  }
  if (W.n_rows > max_rows) lines.push_back("…");
  return lines;
}

// A word whose value is 0 takes attention and adds nothing. Only words that somebody looks at are asked, and,
// as the sentence names one, only words that stand once.
void find_silent_value(Trace& t) {
  const arma::uvec open = open_rows(t);
  if (open.is_empty()) return;
  const arma::mat V = matrix(t["V"]), W = matrix(t["weights"]).rows(open);
  const auto is_asked = [&](arma::uword j) { return W.col(j).max() != 0 && named_once(t, "V", j); };
  for (arma::uword j = 0; j < V.n_rows; ++j) {
    if (arma::any(V.row(j) != 0) || !is_asked(j)) continue;
    t.facts["silent"] = row_label(t, "V", j);
    t.facts["silent_weight"] = W.col(j).max();
    return;
  }
  arma::uword last = V.n_rows; // from the end: to ask each of many words costs the square of their number
  for (arma::uword j = V.n_rows; j-- > 0 && last == V.n_rows;)
    if (is_asked(j)) last = j;
  if (last == V.n_rows || !V.is_finite()) return;
  // None here: take one value away and see what is left of the outputs.
  arma::mat without = V;
  without.row(last).zeros();
  t.facts["silenced"] = row_label(t, "V", last);
  t.facts["silenced_weight"] = W.col(last).max();
  t.facts["silenced_change"] = absolute_difference(page::weighted_sum(W, without), page::weighted_sum(W, V));
}

// How the word that is farthest back reaches the last one.
void state_recurrence(Trace& t) {
  const Reach reach = compare_with_recurrence();
  t.experiments.push_back(reach.moves);
  const arma::rowvec farthest = matrix(reach.moves.values).tail_rows(1);
  t.facts["farthest"] = farthest(0);
  t.facts["farthest_recurrent"] = farthest(3);
  t.facts["farthest_attention"] = farthest(4);
  t.facts["reach_words"] = static_cast<double>(reach.words);
  t.facts["convolution_reach"] = static_cast<double>(reach.convolution_reach);
  t.facts["connected_parameters"] = reach.connected;
  t.facts["convolved_parameters"] = reach.convolved;
  t.facts["recurrent_parameters"] = reach.recurrent;
  t.facts["attention_parameters"] = reach.attention;
}

} // namespace

Trace run_attention(const LessonInput& input) {
  Trace t = begin_trace("attention", input, "output");
  for (const char* name : {"Q", "K", "V"}) add_projection(t, input, name, Role::recap);
  add_scores(t, "Q", "K", Role::recap);
  add_scaled(t, "K", Role::recap);
  const std::string of = add_masked(t, input, Role::recap);
  add_weights(t, of, Role::recap, masked_row_value(input.masked_row));
  add_output(t, "output", "weights", "V", Role::result);

  check_rows_sum_to_one(t, "weights");
  check_convex(t, "weights", "V", "output");
  t.facts["mixtures"] = mixtures(t);
  find_silent_value(t);
  state_recurrence(t);
  return t;
}

} // namespace tfx
