#include "steps/loss_steps.hpp"

#include "input/lesson_input.hpp"
#include "page/backward.hpp"
#include "steps/attention_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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

namespace {

/// F.cross_entropy(logits, labels, label_smoothing=ε): (1 − ε)·(−log p of the label) and ε times the mean
/// over all V words, without the target's own entropy.
double torch_smoothed_loss(const Trace& t, double smoothing, double tokens) {
  const Tensor& log_probs = t["log_probs"];
  const std::vector<double>& labels = t["labels"].data;
  const double pad = t["pad_id"].data[0];
  const std::size_t V = log_probs.shape.back();
  double sum = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] == pad) continue;
    const double* own = log_probs.data.data() + row * V;
    sum -= (1 - smoothing) * own[static_cast<std::size_t>(labels[row])] +
           smoothing * std::accumulate(own, own + V, 0.0) / static_cast<double>(V);
  }
  return sum / tokens;
}

} // namespace

void add_mean_loss(Trace& t, double smoothing, Role role) {
  const double pad = t["pad_id"].data[0];
  const bool shared_by_all = pad < 0 && smoothing > 0; // the padding is no word
  t.add("target",
        op::smoothed_target("labels", "pad_id", "logits").with(smoothing, fmt::format("{}", smoothing)), role,
        shared_by_all ? "(1 − ε)·onehot + ε/(V − 1)·rest" : "");
  const auto& labels = t["labels"].data;
  const auto tokens =
      static_cast<double>(std::ranges::count_if(labels, [&](double label) { return label != pad; }));
  const std::string count = fmt::format("{}", tokens);
  const std::string sum = smoothing > 0 ? "Σ target⊙(ln target − log_probs) / " : "−Σ target⊙log_probs / ";
  t.add("loss", op::kl_divergence("log_probs", "target").with(tokens, count), role, sum + count);
  t.facts["tokens"] = tokens;
  if (smoothing > 0) t.facts["torch_loss"] = torch_smoothed_loss(t, smoothing, tokens);
}

void add_loss(Trace& t, const LessonInput& input, Role role) {
  refuse_not_finite(t, "logits");
  give(t, input, "labels"), give(t, input, "pad_id");
  t.add("log_probs", op::log_softmax("logits"), role, "logits − ln Σ e^logits");
  t.add("probs", op::softmax("logits"), role, "e^log_probs = softmax(logits)");
  add_mean_loss(t, input.smoothing, role);
  if (input.smoothing == 0) t.facts["perplexity"] = std::exp(t["loss"].data[0]);
}

std::vector<AskedPlace> asked_places(const Trace& t, const std::string& suffix) {
  const Step& logits = t.step_named("logits");
  const Tensor &labels = t["labels"], &target = t["target"], &log_probs = t["log_probs" + suffix];
  const std::size_t V = target.shape.back(), rank = logits.value.rank(), n = logits.value.shape[rank - 2];
  const auto name = [&](std::size_t axis, std::size_t i) {
    return axis < logits.labels.size() && !logits.labels[axis].empty() ? logits.labels[axis][i]
                                                                       : std::to_string(i);
  };
  std::vector<AskedPlace> places;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels.data[row] == t["pad_id"].data[0]) continue;
    const auto label = static_cast<std::size_t>(labels.data[row]);
    const arma::rowvec L(log_probs.data.data() + row * V, V), wanted(target.data.data() + row * V, V);
    places.push_back({name(rank - 2, row % n) + " → " + name(rank - 1, label), std::exp(L(label)),
                      page::divergence(arma::mat(L), arma::mat(wanted), 1)});
  }
  return places;
}

} // namespace tfx
