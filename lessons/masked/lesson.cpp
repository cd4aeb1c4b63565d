// Lesson 7: what may not be seen gets −∞ before the softmax. Source: happy-llm, 2.1.5; Vaswani et al.
// 2017, 3.2.3.

#include "lessons/masked/experiments.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"

namespace tfx {

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
  check_padding(t);
  check_masked_row(t, input.masked_row);
  return t;
}

} // namespace tfx
