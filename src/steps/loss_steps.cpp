#include "steps/loss_steps.hpp"

#include "input/give.hpp"
#include "steps/attention_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tfx {

void add_logits(Trace& t, const LessonInput& input, Role role) {
  for (const char* name : {"Q", "K", "V"}) add_projection(t, input, name, Role::recap);
  add_scores(t, "Q", "K", Role::recap);
  add_scaled(t, "K", Role::recap);
  const std::string of = add_masked(t, input, Role::recap);
  add_weights(t, of, Role::recap, masked_row_value(input.masked_row));
  add_output(t, "output", "weights", "V", Role::recap);
  give(t, input, "W_O"), give(t, input, "b_O");
  std::vector<std::string> inputs = {"output", "W_O"};
  if (t.has("b_O")) inputs.push_back("b_O");
  t.add("logits", op::matmul(inputs), role);
}

void add_mean_loss(Trace& t, double smoothing, Role role) {
  t.add("target",
        op::smoothed_target("labels", "pad_id", "logits").with(smoothing, fmt::format("{}", smoothing)),
        role);
  const double pad = t["pad_id"].data[0];
  const auto& labels = t["labels"].data;
  const auto tokens =
      static_cast<double>(std::ranges::count_if(labels, [&](double label) { return label != pad; }));
  const std::string count = fmt::format("{}", tokens);
  const std::string sum = smoothing > 0 ? "Σ target⊙(ln target − log_probs) / " : "−Σ target⊙log_probs / ";
  t.add("loss", op::kl_divergence("log_probs", "target").with(tokens, count), role, sum + count);
  t.facts["tokens"] = tokens;
}

void add_loss(Trace& t, const LessonInput& input, Role role) {
  refuse_not_finite(t, "logits");
  give(t, input, "labels"), give(t, input, "pad_id");
  t.add("log_probs", op::log_softmax("logits"), role, "logits − ln Σ e^logits");
  t.add("probs", op::softmax("logits"), role, "e^log_probs = softmax(logits)");
  add_mean_loss(t, input.smoothing, role);
  if (input.smoothing == 0) t.facts["perplexity"] = std::exp(t["loss"].data[0]);
}

} // namespace tfx
