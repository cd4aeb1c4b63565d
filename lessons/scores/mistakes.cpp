// What learners write instead of Q·Kᵀ.

#include "trace/mistake.hpp"

namespace tfx {

namespace {

// Not in the steps of a cache, which keep keys of their own.
bool is_product(const Trace& t, const Step& step) {
  return step.name == "scores" && t.has("Q") && t.has("K");
}

std::optional<Step> no_transpose(const Trace& t, const Step& right) {
  if (!is_product(t, right)) return {};
  const std::string Q = per_head(t, "Q"), K = per_head(t, "K");
  return computed_instead(t, right, Q + "·" + K, op::matmul(Q, K));
}

std::optional<Step> swapped(const Trace& t, const Step& right) {
  if (!is_product(t, right)) return {};
  const std::string Q = per_head(t, "Q"), K = per_head(t, "K");
  return computed_instead(t, right, K + "·" + Q + "ᵀ", op::matmul_transposed(K, Q));
}

} // namespace

std::vector<Mistake> scores_mistakes() {
  return {Mistake{"scores.no_transpose", no_transpose}.mended_by("Q @ K.T", "Q @ K.transpose(-2, -1)",
                                                                 "Q * K.t()"),
          Mistake{"scores.swapped", swapped}.mended_by("Q @ K.T", "Q @ K.transpose(-2, -1)", "Q * K.t()")};
}

} // namespace tfx
