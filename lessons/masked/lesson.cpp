// Lesson masked: what may not be seen gets −∞ before the softmax. Source: happy-llm, 2.1.5; Vaswani et al.
// 2017, 3.2.3.

#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "page/formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"

namespace tfx {

namespace {

using arma::mat;

// The first batch's queries, keys and values, and its mask.
struct First {
  mat Q, K, V, mask;
};

First first_of(const Trace& t) {
  return {matrix(t["Q"]), matrix(t["K"]), matrix(t["V"]), matrix(t["mask"])};
}

// Another last token: its key turned round, its value moved.
void disturb_last(First& f) {
  f.K.tail_rows(1) *= -1;
  f.V.tail_rows(1) += 10;
}

mat masked_output(const First& f) {
  return page::attention(f.Q, f.K, f.V, f.mask).output;
}

mat open_output(const First& f) {
  return page::attention(f.Q, f.K, f.V).output;
}

// A mask of 0 and −∞ that is added gives the same weights as the mask of 1 and 0 that selects:
// "additive_mask".
void check_additive_mask(Trace& t) {
  if (!arma::vec(t["scaled"].data).is_finite()) return; // NaN + −∞ is NaN: only selecting hides it
  const Tensor added = for_each_matrix(t["scaled"], t["mask"], [](const mat& S, const mat& mask) {
    mat additive(arma::size(mask), arma::fill::zeros);
    additive.elem(arma::find(mask == 0)).fill(-arma::datum::inf);
    return page::softmax(S + additive).weights;
  });
  const Tensor selected = for_each_matrix(t["masked"], [](const mat& S) { return page::softmax(S).weights; });
  t.check_at_most("additive_mask", relative_difference(added, selected), 0);
}

// Under a causal mask another last key and value move no earlier row ("future_unseen"); without the mask
// they do (facts future_*).
void check_future(Trace& t, const LessonInput& input) {
  First f = first_of(t);
  if (!input.causal || f.Q.n_rows != f.K.n_rows || f.Q.n_rows < 2) return;
  const mat masked = masked_output(f), open = open_output(f);
  disturb_last(f);
  const arma::uword past = f.Q.n_rows - 1;
  const auto moved = [&](const mat& before, const mat& after) {
    return absolute_difference(before.head_rows(past), after.head_rows(past));
  };
  const double unseen = moved(masked, masked_output(f));
  t.check_at_most("future_unseen", unseen, 0);
  if (input.pad > 0) return; // nobody sees the last word anyway
  t.facts["future_word"] = row_label(t, "K", past);
  t.facts["future_masked"] = unseen;
  t.facts["future_open"] = moved(open, open_output(f));
}

// Whether each word sees itself and those before it, and nothing else is masked.
bool is_causal_alone(const LessonInput& input, const First& f) {
  return input.causal && input.pad == 0 && !input.has("mask_given") && f.Q.n_rows == f.K.n_rows;
}

// The last row of a pass over the first n words. A row of attention follows from its own query: of each pass
// the last row alone, or n words take n³.
mat last_row_of_pass(const First& f, arma::uword n) {
  return page::attention(f.Q.row(n - 1), f.K.head_rows(n), f.V.head_rows(n)).output;
}

// Row t of one masked pass is the last row of a pass over the first t tokens: "prefix". That is why training
// is parallel.
void check_prefixes(Trace& t, const LessonInput& input) {
  const First f = first_of(t);
  if (!is_causal_alone(input, f)) return;
  const mat output = matrix(t["output"]);
  double largest = 0;
  for (arma::uword n = 1; n <= f.Q.n_rows; ++n) {
    largest = std::max(largest, relative_difference(last_row_of_pass(f, n), mat(output.row(n - 1))));
  }
  t.facts["prefix_passes"] = static_cast<double>(f.Q.n_rows);
  t.check_at_most("prefix", largest, rounding);
}

constexpr arma::uword on_screen = 6; // words of a table, numbers of a row

// What the sentence is trained for, as if step by step: of the first t words, asked for the next one, the
// last row of a pass over them, and how far row t of the one masked pass lies from it. Experiment "passes".
void show_passes(Trace& t, const LessonInput& input) {
  const First f = first_of(t);
  if (!is_causal_alone(input, f) || f.Q.n_rows < 2 || t["Q"].rank() > 2) return;
  const arma::uword passes = std::min(f.Q.n_rows - 1, on_screen),
                    cells = std::min<arma::uword>(3, f.V.n_cols);
  const mat output = matrix(t["output"]);
  Experiment experiment{"passes", {"words_read"}, {}, Tensor({passes, cells + 2})};
  std::string read;
  for (arma::uword n = 1; n <= passes; ++n) {
    const mat last = last_row_of_pass(f, n);
    read += (read.empty() ? "" : " ") + row_label(t, "Q", n - 1);
    experiment.rows.push_back(std::to_string(n) + "  " + read + " → " + row_label(t, "Q", n));
    experiment.values.at({n - 1, 0}) = static_cast<double>(n);
    for (arma::uword j = 0; j < cells; ++j) experiment.values.at({n - 1, j + 1}) = last(0, j);
    experiment.values.at({n - 1, cells + 1}) = absolute_difference(last, mat(output.row(n - 1)));
  }
  for (arma::uword j = 0; j < cells; ++j) experiment.columns.push_back("output[" + std::to_string(j) + "]");
  experiment.columns.push_back("row_apart");
  t.experiments.push_back(std::move(experiment));
}

// The mask that is added: full of −∞, of which triu keeps what lies above the diagonal. Experiment
// "triangle".
void show_triangle(Trace& t, const LessonInput& input) {
  const First f = first_of(t);
  if (!is_causal_alone(input, f)) return;
  const arma::uword n = std::min(f.mask.n_rows, on_screen);
  mat added(n, n, arma::fill::zeros);
  added.elem(arma::find(f.mask.submat(0, 0, n - 1, n - 1) == 0)).fill(-arma::datum::inf);
  Experiment experiment{"triangle", {}, {}, to_tensor(added)};
  for (arma::uword i = 0; i < n; ++i) {
    experiment.rows.push_back(row_label(t, "Q", i));
    experiment.columns.push_back(row_label(t, "K", i));
  }
  t.experiments.push_back(std::move(experiment));
}

// Another content of the last key, once it is masked as padding, changes nothing: "padding_unseen".
void check_padding(Trace& t) {
  First f = first_of(t);
  if (f.K.n_rows < 2) return;
  f.mask %= page::padding_mask(f.mask.n_rows, f.mask.n_cols, 1);
  const mat before = masked_output(f);
  disturb_last(f);
  t.check_at_most("padding_unseen", absolute_difference(before, masked_output(f)), 0);
}

// A row that may see nothing: 0 or NaN with −∞, uniform with −1e9: "blocked_row_is_zero" or
// "blocked_row_is_nan".
void check_masked_row(Trace& t, FullyMaskedRow policy) {
  if (policy == FullyMaskedRow::error) return; // no such row gets here
  const mat scaled = matrix(t["scaled"]);
  const arma::rowvec blocked(scaled.n_cols, arma::fill::value(-arma::datum::inf));
  const mat weights = page::softmax(blocked, masked_row_value(policy)).weights;
  t.facts["blocked_weight"] = masked_row_value(policy);
  if (policy == FullyMaskedRow::zero)
    t.check_at_most("blocked_row_is_zero", arma::abs(weights).max(), 0);
  else
    t.check("blocked_row_is_nan", arma::uvec(arma::find_nan(weights)).n_elem == weights.n_elem,
            static_cast<double>(weights.n_elem));
  // −1e9 swallows the scores: e^(s − 1e9 − max) is the same for all.
  const arma::rowvec nearly(scaled.n_cols, arma::fill::value(-1e9));
  t.facts["minus_1e9_weight"] = page::softmax(nearly).weights(0, 0);
}

} // namespace

Trace run_masked(const LessonInput& input) {
  Trace t = begin_trace("masked", input, "weights");
  for (const char* name : {"Q", "K", "V"}) add_projection(t, input, name, Role::recap);
  add_scores(t, "Q", "K", Role::result);
  add_scaled(t, "K", Role::result);
  const std::string of = add_masked(t, input, Role::result);
  add_weights(t, of, Role::result, masked_row_value(input.masked_row));
  add_output(t, "output", "weights", "V", Role::result);
  t.objective = {"output"};

  if (const Tensor& W = t["weights"]; W.rank() == 2 && W.shape[0] > 1 && W.shape[1] > 1)
    t.spotlight = {t.main, {1, 1}};
  check_rows_sum_to_one(t, "weights");
  check_additive_mask(t);
  check_future(t, input);
  check_prefixes(t, input);
  show_passes(t, input);
  show_triangle(t, input);
  check_padding(t);
  check_masked_row(t, input.masked_row);
  return t;
}

} // namespace tfx
