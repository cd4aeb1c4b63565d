// What learners write instead of choosing a token, and of ranking the targets of a beam.

#include "core/tensor.hpp"
#include "page/decoding.hpp"
#include "trace/mistake.hpp"

#include <cmath>

namespace tfx {

namespace {

using arma::mat;

bool is(const Trace& t, const Step& right, const char* name) {
  return t.lesson == "decode" && right.name == name;
}

// np.argsort(probs)[:k]: it sorts upwards.
std::optional<Step> top_k_smallest(const Trace& t, const Step& right) {
  if (!is(t, right, "kept_k")) return {};
  const auto k = static_cast<arma::uword>(right.operation.constant);
  return valued_instead(right, "argsort(probs)[:k]",
                        for_each_matrix(t["probs"], [k](const mat& P) { return page::top_k(mat(-P), k); }));
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

} // namespace

std::vector<Mistake> decode_mistakes() {
  return in_own_lesson(
      {{"decode.temperature_multiplied", {{"tempered", "logits·c", "logits·c"}}},
       {"decode.temperature_on_probs", {{"tempered", "e^log_probs/c", "softmax(logits)/c"}}},
       Mistake{"decode.top_k_smallest", top_k_smallest}.mended_by("np.argsort(p)[-k:]", "torch.topk(p, k)",
                                                                  "arma::sort_index(p, \"descend\")"),
       Mistake{"decode.not_renormalised", {{"probs_k", "cut_k"}, {"probs_p", "cut_p"}}}.mended_by(
           "p / p.sum()", "p / p.sum()", "p / arma::accu(p)"),
       {"decode.top_p_one_too_few", {{"kept_p", "[before + probs_k ≤ c]", "[before + probs_k ≤ c]"}}},
       {"decode.top_p_unsorted", top_p_unsorted},
       {"decode.draw_ignored", draw_ignored},
       {"beam.probs_summed", probs_summed},
       {"beam.no_length_penalty", {{"penalty", "1"}}},
       {"beam.penalty_multiplied", {{"score", "sum⊙penalty", "sum·penalty"}}},
       {"beam.after_end", {{"counted", "1"}}}});
}

} // namespace tfx
