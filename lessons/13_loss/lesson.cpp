// Lesson 13: how wrong the predictions are, as one number, and which way every number before it should move.
// Source: annotated (the notebook's LabelSmoothing), attention-block (compute_loss, backward_pass); Szegedy
// et al. 2016, section 7.

#include "core/broadcast.hpp"
#include "input/give.hpp"
#include "lessons/13_loss/experiments.hpp"
#include "lessons/backward.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/gradients.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

namespace {

// One attention and a projection onto the vocabulary: the smallest model that has something to learn.
void add_model(Trace& t, const LessonInput& input) {
  for (const char* name : {"Q", "K", "V"}) add_projection(t, input, name, Role::recap);
  add_scores(t, "Q", "K", Role::recap);
  add_scaled(t, "K", Role::recap);
  const std::string of = add_masked(t, input, Role::recap);
  add_weights(t, of, Role::recap, masked_row_value(input.masked_row));
  add_output(t, "output", "weights", "V", Role::recap);
  give(t, input, "W_O"), give(t, input, "b_O");
  const bool biased = t.has("b_O");
  std::vector<std::string> inputs = {"output", "W_O"};
  if (biased) inputs.push_back("b_O");
  t.add("logits", op::matmul(inputs), Role::result);
}

void add_target(Trace& t, double smoothing) {
  t.add("target",
        op::smoothed_target("labels", "pad_id", "logits").with(smoothing, fmt::format("{}", smoothing)),
        Role::result);
}

void add_loss(Trace& t, double smoothing) {
  const double pad = t["pad_id"].data[0];
  const auto& labels = t["labels"].data;
  const auto tokens = static_cast<double>(
      std::count_if(labels.begin(), labels.end(), [&](double label) { return label != pad; }));
  const std::string count = fmt::format("{}", tokens);
  const std::string sum = smoothing > 0 ? "Σ target⊙(ln target − log_probs) / " : "−Σ target⊙log_probs / ";
  t.add("loss", op::kl_divergence("log_probs", "target").with(tokens, count), Role::result, sum + count);
  t.facts["tokens"] = tokens;
  if (smoothing == 0) t.facts["perplexity"] = std::exp(t["loss"].data[0]);
}

} // namespace

Trace run_loss(const LessonInput& input) {
  Trace t = begin("loss", input, "dlogits");
  if (input.has("logits"))
    give(t, input, "logits");
  else
    add_model(t, input);
  refuse_not_finite(t, "logits");
  give(t, input, "labels"), give(t, input, "pad_id");
  t.add("log_probs", op::log_softmax("logits"), Role::result, "logits − ln Σ e^logits");
  t.add("probs", op::softmax("logits"), Role::result, "e^log_probs = softmax(logits)");
  add_target(t, input.smoothing);
  add_loss(t, input.smoothing);
  add_gradients(t);

  if (input.has("logits")) t.facts["logits_source"] = t.find("logits")->formula;
  check_rows(t);
  check_logits_gradient(t);
  check_key_bias(t);
  state_flow(t);
  compare_wrong_losses(t);
  show_wrong_gradients(t);
  return t;
}

} // namespace tfx
