// What learners write instead of the cross-entropy over the tokens that are no padding.

#include "trace/mistake.hpp"

#include "core/tensor.hpp"
#include "page/backward.hpp"

#include <algorithm>

namespace tfx {

namespace {

bool is(const Trace& t, const Step& right, const char* name) {
  return t.lesson == "loss" && right.name == name;
}

// Where the number of tokens divides.
bool is_mean(const Trace& t, const Step& right) {
  return is(t, right, "loss") || is(t, right, "dlog_probs");
}

// The loss and the first step back, over `count` instead of the tokens.
Step over(const Trace& t, const Step& right, double count) {
  const std::string text = std::to_string(static_cast<long>(count));
  if (is(t, right, "loss"))
    return computed_instead(t, right, right.formula.substr(0, right.formula.find(" / ")) + " / " + text,
                            op::kl_divergence("log_probs", "target").with(count, text));
  return computed_instead(t, right, "−target/" + text,
                          op::divide_by("target").with(-count, "(−" + text + ")"));
}

double all_of(const Trace& t) {
  return static_cast<double>(t["labels"].size());
}

// Padding is a word like others: its rows ask for it, and count.
std::optional<Step> over_padding(const Trace& t, const Step& right) {
  if (is_mean(t, right)) return over(t, right, all_of(t));
  if (!is(t, right, "target")) return {};
  Tensor value = right.value;
  if (padding_of(t) < 0) return {}; // −100 is no word
  const std::size_t V = value.shape.back(), pad = static_cast<std::size_t>(padding_of(t));
  const double smoothing = right.operation.constant,
               rest = V > 1 ? smoothing / static_cast<double>(V - 1) : 0;
  for (std::size_t i = 0; i < value.size(); ++i)
    if (t["labels"].data[i / V] == padding_of(t)) value.data[i] = i % V == pad ? 1 - smoothing : rest;
  return valued_instead(
      right, smoothing > 0 ? "(1 − ε)·onehot + ε/(V − 1)·rest [labels = pad_id]" : "onehot(labels)",
      std::move(value));
}

// The rows of padding ask for nothing, but are counted.
std::optional<Step> over_all(const Trace& t, const Step& right) {
  if (!is_mean(t, right)) return {};
  return over(t, right, all_of(t));
}

// The number of each token's own word, where words and vocabulary have names.
std::optional<Step> own_labels(const Trace& t, const Step& right) {
  const Step* vocabulary = t.find(t.has("W_O") ? "W_O" : "logits");
  if (!vocabulary || right.labels.empty() || vocabulary->labels.back().empty()) return {};
  const auto &names = vocabulary->labels.back(), &words = right.labels.back();
  if (words.empty()) return {};
  Tensor value = right.value;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto found = std::ranges::find(names, words[i % words.size()]);
    if (found == names.end()) return {};
    value.data[i] = static_cast<double>(found - names.begin());
  }
  return valued_instead(right, "ids", std::move(value));
}

std::optional<Step> no_shift(const Trace& t, const Step& right) {
  if (is(t, right, "labels")) return own_labels(t, right);
  // The last word has no next one, but it is itself: one more token counts.
  if (is_mean(t, right)) return over(t, right, label_count(t));
  return {};
}

std::optional<Step> sum_for_mean(const Trace& t, const Step& right) {
  if (!is_mean(t, right)) return {};
  return over(t, right, 1);
}

// ε shared by `words` of the vocabulary: the padding is one of them.
std::optional<Step> smoothed(const Trace& t, const Step& right, std::size_t without) {
  if (!is(t, right, "target") || right.operation.constant == 0) return {};
  if (without == 1 && padding_of(t) < 0) return {}; // there it is right
  Tensor value = right.value;
  const std::size_t V = value.shape.back();
  const double smoothing = right.operation.constant, rest = smoothing / static_cast<double>(V - without);
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double label = t["labels"].data[i / V];
    if (label == padding_of(t)) continue;
    const bool asked = static_cast<double>(i % V) == label;
    value.data[i] = asked ? 1 - smoothing + (without ? 0 : rest) : rest;
  }
  return valued_instead(right, without ? "(1 − ε)·onehot + ε/(V − 1)·rest" : "(1 − ε)·onehot + ε/V",
                        std::move(value));
}

// nn.CrossEntropyLoss(label_smoothing=ε) is this.
std::optional<Step> smoothed_over_all(const Trace& t, const Step& right) {
  return smoothed(t, right, 0);
}

std::optional<Step> smoothed_padding(const Trace& t, const Step& right) {
  return smoothed(t, right, 1);
}

// The chain rule's steps back.

bool is_back(const Step& right, const Op& op) {
  return right.role == Role::gradient && right.operation.is(op);
}

// dYᵀ·X where Xᵀ·dY belongs: the gradient of the transposed weight.
std::optional<Step> weight_transposed(const Trace& t, const Step& right) {
  if (!is_back(right, op::transposed_matmul) || right.name.rfind("dW_", 0) != 0) return {};
  const std::string &X = right.operation.inputs[0], &d = right.operation.inputs[1];
  Step turned = right;
  if (turned.value.rank() != 2) return {};
  turned.value = Tensor({right.value.shape[1], right.value.shape[0]});
  Step wrong = computed_instead(t, turned, d + "ᵀ·" + X, op::transposed_matmul(d, X));
  wrong.labels.assign(2, {});
  return wrong;
}

// What is read several times has a gradient from each: the last one assigned is not their sum.
std::optional<Step> overwritten(const Trace& t, const Step& right) {
  if (!is_back(right, op::total) || right.operation.inputs.size() < 2) return {};
  const std::string& last = right.operation.inputs.back();
  return computed_instead(t, right, last, op::total(last));
}

} // namespace

std::vector<Mistake> loss_mistakes() {
  std::vector<Mistake> all = in_own_lesson(
      {{"loss.no_shift", no_shift},
       {"loss.no_max",
        {{"log_probs", "ln(e^logits/rowsum(e^logits))", "log(exp(logits)/exp(logits).sum(1))"}}},
       {"loss.max_not_added_back",
        {{"log_probs", "logits − ln(rowsum(e^(logits − rowmax(logits))))",
          "logits − ln Σ e^(logits − max)"}}},
       // cross_entropy(softmax(logits)): it takes its own softmax.
       {"loss.softmax_twice",
        {{"log_probs", "log_softmax(softmax(logits))"},
         {"dlogits",
          "probs⊙((dlog_probs − e^log_probs⊙rowsum(dlog_probs)) − rowsum(probs⊙(dlog_probs − "
          "e^log_probs⊙rowsum(dlog_probs))))",
          "softmax_backward(log_softmax_backward(dlog_probs))"}}},
       {"loss.no_log",
        {{"dlogits", "probs⊙(dlog_probs − rowsum(dlog_probs⊙probs))"}, {"log_probs", "softmax(logits)"}}},
       {"loss.smoothed_over_all", smoothed_over_all},
       {"loss.smoothed_padding", smoothed_padding},
       {"loss.over_padding", over_padding},
       Mistake{"loss.over_all", over_all}.mended_by("(labels != pad).sum()", "(labels != pad).sum()",
                                                    "arma::accu(labels != pad)"),
       {"loss.sum_for_mean", sum_for_mean}});
  all.insert(all.end(), {{"loss.gradient_without_n", {{"dlog_probs", "−target"}}},
                         {"gradient.no_row_sum", {{"@softmax_gradient by weights", "B⊙A"}}},
                         {"gradient.no_scale", {{"dscores@divide_by", "A"}}},
                         {"gradient.weight_transposed", weight_transposed},
                         {"gradient.not_transposed", {{"@matmul_transposed by W_#", "A·B"}}},
                         {"gradient.overwritten", overwritten}});
  return all;
}

} // namespace tfx
