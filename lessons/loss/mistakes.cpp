// What learners write instead of the cross-entropy over the tokens that are no padding.

#include "lessons/loss/gradient_mistakes.hpp"

#include "core/tensor.hpp"
#include "page/backward.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;

bool is(const Trace& t, const Step& right, const char* name) {
  return t.lesson == "loss" && right.name == name;
}

double padding(const Trace& t) {
  return t["pad_id"].data[0];
}

double label_count(const Trace& t) {
  const auto& labels = t["labels"].data;
  return static_cast<double>(labels.size()) - static_cast<double>(std::ranges::count(labels, padding(t)));
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
  if (padding(t) < 0) return {}; // −100 is no word
  const std::size_t V = value.shape.back(), pad = static_cast<std::size_t>(padding(t));
  const double smoothing = right.operation.constant,
               rest = V > 1 ? smoothing / static_cast<double>(V - 1) : 0;
  for (std::size_t i = 0; i < value.size(); ++i)
    if (t["labels"].data[i / V] == padding(t)) value.data[i] = i % V == pad ? 1 - smoothing : rest;
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

std::optional<Step> log_probs_by(const Trace& t, const Step& right, const char* formula,
                                 mat (*of_logits)(const mat&)) {
  if (!is(t, right, "log_probs")) return {};
  return valued_instead(right, formula, for_each_matrix(t["logits"], of_logits));
}

std::optional<Step> no_max(const Trace& t, const Step& right) {
  return log_probs_by(t, right, "log(exp(logits)/exp(logits).sum(1))", [](const mat& L) {
    const mat e = arma::exp(L);
    return mat(arma::log(e.each_col() / arma::sum(e, 1).eval()));
  });
}

std::optional<Step> max_not_added_back(const Trace& t, const Step& right) {
  return log_probs_by(t, right, "logits − ln Σ e^(logits − max)", [](const mat& L) {
    const mat shifted = L.each_col() - arma::max(L, 1).eval();
    return mat(L.each_col() - arma::log(arma::sum(arma::exp(shifted), 1)).eval());
  });
}

// cross_entropy(softmax(logits)): it takes its own softmax.
std::optional<Step> softmax_twice(const Trace& t, const Step& right) {
  if (is(t, right, "dlogits"))
    return valued_instead(right, "softmax_backward(log_softmax_backward(dlog_probs))",
                          for_each_matrix(t["dlog_probs"], t["log_probs"], t["probs"],
                                          [](const mat& dL, const mat& L, const mat& p) {
                                            return page::softmax_backward(page::log_softmax_backward(dL, L),
                                                                          p);
                                          }));
  return log_probs_by(t, right, "log_softmax(softmax(logits))",
                      [](const mat& L) { return page::log_softmax(page::softmax(L).weights); });
}

// nll_loss(softmax(logits))
std::optional<Step> no_log(const Trace& t, const Step& right) {
  if (is(t, right, "dlogits"))
    return computed_instead(t, right, "probs⊙(dlog_probs − rowsum(dlog_probs⊙probs))",
                            op::softmax_gradient("dlog_probs", "probs"));
  return log_probs_by(t, right, "softmax(logits)", [](const mat& L) { return page::softmax(L).weights; });
}

std::optional<Step> sum_for_mean(const Trace& t, const Step& right) {
  if (!is_mean(t, right)) return {};
  return over(t, right, 1);
}

std::optional<Step> gradient_without_n(const Trace& t, const Step& right) {
  if (right.name != "dlog_probs") return {};
  return computed_instead(t, right, "−target", op::divide_by("target").with(-1, "(−1)"));
}

// ε shared by `words` of the vocabulary: the padding is one of them.
std::optional<Step> smoothed(const Trace& t, const Step& right, std::size_t without) {
  if (!is(t, right, "target") || right.operation.constant == 0) return {};
  if (without == 1 && padding(t) < 0) return {}; // there it is right
  Tensor value = right.value;
  const std::size_t V = value.shape.back();
  const double smoothing = right.operation.constant, rest = smoothing / static_cast<double>(V - without);
  for (std::size_t i = 0; i < value.size(); ++i) {
    const double label = t["labels"].data[i / V];
    if (label == padding(t)) continue;
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

} // namespace

std::vector<Mistake> loss_mistakes() {
  std::vector<Mistake> all = {{"loss.no_shift", no_shift},
                              {"loss.no_max", no_max},
                              {"loss.max_not_added_back", max_not_added_back},
                              {"loss.softmax_twice", softmax_twice},
                              {"loss.no_log", no_log},
                              {"loss.smoothed_over_all", smoothed_over_all},
                              {"loss.smoothed_padding", smoothed_padding},
                              {"loss.over_padding", over_padding},
                              Mistake{"loss.over_all", over_all}.mended_by("(labels != pad).sum()",
                                                                           "(labels != pad).sum()",
                                                                           "arma::accu(labels != pad)"),
                              {"loss.sum_for_mean", sum_for_mean},
                              {"loss.gradient_without_n", gradient_without_n}};
  std::ranges::copy(gradient_mistakes(), std::back_inserter(all));
  return all;
}

} // namespace tfx
