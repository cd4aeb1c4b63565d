// What learners write instead of choosing a token, and of ranking the targets of a beam.

#include "core/tensor.hpp"
#include "trace/mistake.hpp"

#include <cmath>

namespace tfx {

namespace {

using arma::mat;

bool is(const Trace& t, const Step& right, const char* name) {
  return t.lesson == "decode" && right.name == name;
}

// As a learner says it backwards: sharper with more.
std::optional<Step> temperature_multiplied(const Trace& t, const Step& right) {
  if (!is(t, right, "tempered")) return {};
  const std::string& T = right.operation.constant_text;
  return computed_instead(t, right, "logits·" + T,
                          op::multiply_by("logits").with(right.operation.constant, T));
}

// The softmax is taken twice: of probabilities, which all lie between 0 and 1.
std::optional<Step> temperature_on_probs(const Trace& t, const Step& right) {
  if (!is(t, right, "tempered")) return {};
  const Tensor& log_probs = cells_beside(t, right, "log_probs");
  return cells_instead(right, "softmax(logits)/" + right.operation.constant_text,
                       [&](std::size_t i) { return std::exp(log_probs.data[i]) / right.operation.constant; });
}

// np.argsort(probs)[:k]: it sorts upwards.
std::optional<Step> top_k_smallest(const Trace& t, const Step& right) {
  if (!is(t, right, "kept_k")) return {};
  const auto k = static_cast<arma::uword>(right.operation.constant);
  return valued_instead(right, "argsort(probs)[:k]",
                        for_each_matrix(t["probs"], [k](const mat& P) { return page::top_k(mat(-P), k); }));
}

// What was cut off leaves a hole: the rest no longer sums to 1.
std::optional<Step> not_renormalised(const Trace& t, const Step& right) {
  for (const char* letter : {"k", "p"}) {
    const std::string cut = std::string("cut_") + letter;
    if (is(t, right, ("probs_" + std::string(letter)).c_str()))
      return computed_instead(t, right, cut, op::multiply_by(cut).with(1, "1"));
  }
  return {};
}

// cumsum(sorted) <= p: the token that reaches p is dropped; where the first one reaches it alone, nothing is
// left.
std::optional<Step> top_p_one_too_few(const Trace& t, const Step& right) {
  if (!is(t, right, "kept_p")) return {};
  const Tensor &before = cells_beside(t, right, "before"), &p = cells_beside(t, right, "probs_k");
  return cells_instead(
      right, "[before + probs_k ≤ " + right.operation.constant_text + "]",
      [&](std::size_t i) { return before.data[i] + p.data[i] <= right.operation.constant ? 1.0 : 0.0; });
}

// A running sum in the order of the vocabulary.
std::optional<Step> top_p_unsorted(const Trace& t, const Step& right) {
  if (!is(t, right, "before")) return {};
  const Tensor& p = cells_beside(t, right, "probs_k");
  double sum = 0;
  return cells_instead(right, "cumsum(probs_k) − probs_k",
                       [&](std::size_t i) { return std::exchange(sum, sum + p.data[i]); });
}

// Whatever is drawn, the most probable token is written: that is greedy again.
std::optional<Step> draw_ignored(const Trace& t, const Step& right) {
  if (!is(t, right, "taken")) return {};
  return computed_instead(t, right, "onehot(argmax(probs_p))", op::first_max("probs_p"));
}

// Probabilities are multiplied, their logarithms added; a sum of probabilities grows with every token.
std::optional<Step> probs_summed(const Trace& t, const Step& right) {
  if (!is(t, right, "sum")) return {};
  const Tensor &log_probs = t["target_log_probs"], &counted = t["counted"];
  const std::size_t targets = right.value.size(), steps = log_probs.size() / targets;
  return cells_instead(right, "Σ e^target_log_probs⊙counted", [&](std::size_t j) {
    double sum = 0;
    for (std::size_t s = 0; s < steps; ++s)
      sum += std::exp(log_probs.data[s * targets + j]) * counted.data[s * targets + j];
    return sum;
  });
}

std::optional<Step> no_length_penalty(const Trace& t, const Step& right) {
  if (!is(t, right, "penalty")) return {};
  return cells_instead(right, "1", [](std::size_t) { return 1.0; });
}

// A sum of logarithms is negative: a factor makes long targets worse.
std::optional<Step> penalty_multiplied(const Trace& t, const Step& right) {
  if (!is(t, right, "score")) return {};
  return computed_instead(t, right, "sum·penalty", op::multiply("sum", "penalty"));
}

std::optional<Step> after_end(const Trace& t, const Step& right) {
  if (!is(t, right, "counted")) return {};
  return cells_instead(right, "1", [](std::size_t) { return 1.0; });
}

} // namespace

std::vector<Mistake> decode_mistakes() {
  return {{"decode.temperature_multiplied", temperature_multiplied},
          {"decode.temperature_on_probs", temperature_on_probs},
          Mistake{"decode.top_k_smallest", top_k_smallest}.mended_by("np.argsort(p)[-k:]", "torch.topk(p, k)",
                                                                     "arma::sort_index(p, \"descend\")"),
          Mistake{"decode.not_renormalised", not_renormalised}.mended_by("p / p.sum()", "p / p.sum()",
                                                                         "p / arma::accu(p)"),
          {"decode.top_p_one_too_few", top_p_one_too_few},
          {"decode.top_p_unsorted", top_p_unsorted},
          {"decode.draw_ignored", draw_ignored},
          {"beam.probs_summed", probs_summed},
          {"beam.no_length_penalty", no_length_penalty},
          {"beam.penalty_multiplied", penalty_multiplied},
          {"beam.after_end", after_end}};
}

} // namespace tfx
