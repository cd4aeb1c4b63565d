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
  add_weights(t, input, of, Role::recap);
  add_output(t, "output", "weights", "V", Role::recap);
  give(t, input, "W_O"), give(t, input, "b_O");
  const bool biased = t.has("b_O");
  std::vector<std::string> inputs = {"output", "W_O"};
  if (biased) inputs.push_back("b_O");
  t.add("logits", biased ? "output·W_O + b_O" : "output·W_O", how::of(Op::matmul, inputs), Role::result, [&] {
    return for_each_matrix(t["output"], t["W_O"], [&](const arma::mat& Y, const arma::mat& W) {
      return biased ? page::project(Y, W, arma::rowvec(t["b_O"].data)) : page::project(Y, W);
    });
  });
}

arma::uvec labels_of(const Trace& t, std::size_t sentence) {
  const Tensor& labels = t["labels"];
  const std::size_t n = labels.shape.back();
  arma::uvec numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers(i) = static_cast<arma::uword>(labels.data[sentence * n + i]);
  return numbers;
}

void add_target(Trace& t, double smoothing) {
  const auto pad = static_cast<arma::uword>(t["pad_id"].data[0]);
  t.add("target", smoothing > 0 ? "(1 − ε)·onehot + ε/(V − 2)·rest" : "onehot(labels)⊙[labels ≠ pad_id]",
        how::of(Op::smoothed_target, {"labels", "pad_id", "logits"}, smoothing, fmt::format("{}", smoothing)),
        Role::result, [&] {
          Tensor target(t["logits"].shape);
          for (std::size_t i = 0; i < matrix_count(target); ++i)
            set_matrix(target, i,
                       page::smoothed_target(labels_of(t, i), target.shape.back(), smoothing, pad));
          return target;
        });
}

void add_loss(Trace& t, double smoothing) {
  const double pad = t["pad_id"].data[0];
  const auto& labels = t["labels"].data;
  const auto tokens = static_cast<double>(
      std::count_if(labels.begin(), labels.end(), [&](double label) { return label != pad; }));
  const std::string count = fmt::format("{}", tokens);
  const std::string sum = smoothing > 0 ? "Σ target⊙(ln target − log_probs) / " : "−Σ target⊙log_probs / ";
  t.add("loss", sum + count, how::of(Op::divergence, {"log_probs", "target"}, tokens, count), Role::result,
        [&] {
          double loss = 0;
          for (std::size_t i = 0; i < matrix_count(t["target"]); ++i)
            loss += page::divergence(matrix(t["log_probs"], i), matrix(t["target"], i), tokens);
          return Tensor({}, {loss});
        });
  t.facts["tokens"] = tokens;
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
  t.add("log_probs", "logits − ln Σ e^logits", how::of(Op::log_softmax, {"logits"}), Role::result,
        [&] { return for_each_matrix(t["logits"], page::log_softmax); });
  t.add("probs", "e^log_probs = softmax(logits)", how::of(Op::softmax, {"logits"}), Role::result, [&] {
    return for_each_matrix(t["logits"], [](const arma::mat& L) { return page::softmax(L).weights; });
  });
  add_target(t, input.smoothing);
  add_loss(t, input.smoothing);
  add_gradients(t);

  if (input.has("logits")) t.facts["logits_source"] = t.find("logits")->formula;
  check_rows(t);
  check_logits_gradient(t);
  check_key_bias(t);
  compare_wrong_losses(t);
  show_wrong_gradients(t);
  return t;
}

} // namespace tfx
