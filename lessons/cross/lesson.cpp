// Lesson cross: the decoder asks, the encoder's output answers. Source: annotated, DecoderLayer;
// happy-llm, 2.1.4; Vaswani et al. 2017, 3.2.3.

#include "steps/attention_steps.hpp"
#include "steps/layer_steps.hpp"
#include "trace/checks.hpp"

namespace tfx {

namespace {

using arma::mat;

// What the experiments compute with: the first batch.
struct Run {
  mat X, memory, mask;
  page::Projections p;
  double masked_row;

  mat output(const mat& source, const mat& seen) const {
    return page::cross_attention(X, source, p, seen, masked_row).output;
  }
};

// One row a word of the decoder, one column a word of the source: the shapes tell who asks.
void check_shapes(Trace& t) {
  const auto rows = [&](const char* name) { return t[name].shape[t[name].rank() - 2]; };
  const Shape& W = t["weights"].shape;
  t.facts["n_q"] = static_cast<double>(rows("X"));
  t.facts["n_k"] = static_cast<double>(rows("memory"));
  t.check("shapes", W[W.size() - 2] == rows("X") && W.back() == rows("memory") && rows("output") == rows("X"),
          static_cast<double>(rows("output")));
}

// Attention reads the memory as a set: its order does not matter, if the mask moves with it.
void check_memory_order(Trace& t, const Run& run) {
  const double moved = relative_difference(run.output(arma::reverse(run.memory), arma::reverse(run.mask, 1)),
                                           run.output(run.memory, run.mask));
  t.check_at_most("memory_order", moved, rounding);
}

// What stands in a masked word of the source does not matter.
void check_masked_memory(Trace& t, const Run& run) {
  if (run.memory.n_rows < 2) return;
  mat seen = run.mask, other = run.memory;
  seen.tail_cols(1).zeros();
  other.tail_rows(1) += 10;
  t.check_at_most("masked_memory", absolute_difference(run.output(run.memory, seen), run.output(other, seen)),
                  0);
  t.facts["unmasked_moved"] = absolute_difference(run.output(run.memory, arma::ones(arma::size(seen))),
                                                  run.output(other, arma::ones(arma::size(seen))));
}

// Q from the encoder, K and V from the decoder; and all three from the decoder.
void state_other_sources(Trace& t, const Run& run) {
  const bool fits = run.X.n_cols == run.memory.n_cols;
  if (!fits) return;
  const auto weights = [](const mat& asks, const mat& answers) {
    return to_page_string({asks.n_rows, answers.n_rows});
  };
  const auto output = [&](const mat& asks, const mat& answers) {
    return page::cross_attention(asks, answers, run.p).output;
  };
  t.facts["shape_weights"] = weights(run.X, run.memory);
  const mat right = run.output(run.memory, run.mask), reversed = output(run.memory, run.X);
  if (run.X.n_rows == run.memory.n_rows) {
    t.facts["reversed_wrong"] = count_different(reversed, right);
    t.facts["cells"] = static_cast<double>(right.n_elem);
  } else {
    t.facts["reversed_shape"] = weights(run.memory, run.X);
    t.facts["reversed_rows"] = static_cast<double>(reversed.n_rows);
  }
  t.facts["self_shape"] = weights(run.X, run.X);
  t.facts["self_moved"] = absolute_difference(output(run.X, run.X), right);
}

} // namespace

Trace run_cross(const LessonInput& input) {
  Trace t = begin_trace("cross", input, "weights");
  add_projection_of(t, input, "Q", "X", Role::result);
  for (const char* name : {"K", "V"}) add_projection_of(t, input, name, "memory", Role::result);
  add_scores(t, "Q", "K", Role::result);
  add_scaled(t, "K", Role::result);
  const std::string of = add_masked(t, input, Role::result);
  add_weights(t, of, Role::result, masked_row_value(input.masked_row));
  add_output(t, "output", "weights", "V", Role::result);
  t.objective = {"output"};

  const mat X = matrix(t["X"]), memory = matrix(t["memory"]);
  const Run run{X, memory, first_mask(t, X.n_rows, memory.n_rows), projections_of(t),
                masked_row_value(input.masked_row)};
  check_shapes(t);
  check_rows_sum_to_one(t, "weights");
  check_memory_order(t, run);
  check_masked_memory(t, run);
  state_other_sources(t, run);
  return t;
}

} // namespace tfx
