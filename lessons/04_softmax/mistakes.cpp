// What learners write instead of softmax(scores/√d_k) along the rows.

#include "lessons/mistake.hpp"

#include "core/broadcast.hpp"

#include <cmath>

namespace tfx {

namespace {

using arma::mat;

// e^S / Σ e^S down the columns instead of along the rows.
mat softmax_of_columns(const mat& S) {
  return page::softmax(S.t()).weights.t();
}

// axis=0
std::optional<Step> wrong_axis(const Trace& t, const Step& right) {
  if (right.name != "weights") return {};
  const std::string of = softmax_input(t);
  return valued_instead(right, "softmax(" + of + ", axis=0)", for_each_matrix(t[of], softmax_of_columns));
}

std::optional<Step> no_scale(const Trace& t, const Step& right) {
  if (right.name != "scaled") return {};
  return computed_instead(t, right, "scores", how::of(Op::divide_by, {"scores"}, 1, "1"));
}

// scores/d_k
std::optional<Step> scale_d_k(const Trace& t, const Step& right) {
  if (right.name != "scaled") return {};
  const double d_k = std::round(right.how.constant * right.how.constant);
  const std::string text = std::to_string(static_cast<int>(d_k));
  return computed_instead(t, right, "scores/d_k = scores/" + text,
                          how::of(Op::divide_by, {"scores"}, d_k, text));
}

} // namespace

std::vector<Mistake> softmax_mistakes() {
  const std::string folder = "lessons/04_softmax";
  return {{"softmax.wrong_axis", folder, wrong_axis},
          {"softmax.no_scale", folder, no_scale},
          {"softmax.scale_dk", folder, scale_d_k}};
}

} // namespace tfx
