// Lesson 13: how wrong the predictions are, as one number, and which way every number before it should move.
// Source: annotated (the notebook's LabelSmoothing), attention-block (compute_loss, backward_pass); Szegedy
// et al. 2016, section 7.

#include "input/lesson_input.hpp"
#include "lessons/loss/experiments.hpp"
#include "steps/attention_steps.hpp"
#include "steps/loss_steps.hpp"
#include "trace/gradients.hpp"

namespace tfx {

Trace run_loss(const LessonInput& input) {
  Trace t = begin_trace("loss", input, "dlogits");
  if (input.has("logits"))
    give(t, input, "logits");
  else
    add_logits(t, input, Role::result);
  add_loss(t, input, Role::result);
  add_gradients(t);

  if (input.has("logits")) t.facts["logits_source"] = t.find("logits")->formula;
  check_rows(t);
  check_logits_gradient(t);
  check_key_bias(t);
  state_flow(t);
  compare_wrong_losses(t);
  show_smoothing(t, input.smoothing);
  show_wrong_gradients(t);
  return t;
}

} // namespace tfx
