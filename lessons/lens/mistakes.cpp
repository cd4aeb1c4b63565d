// What learners get wrong when they take a logit apart, or read the stream early.

#include "core/tensor.hpp"
#include "lessons/lens/lens.hpp"
#include "trace/mistake.hpp"

#include <string_view>

namespace tfx {

namespace {

/// nn.Linear's weight is (out, in): a head reads columns of it. Rows of it fit all the same.
std::optional<Step> rows_of_W_O(const Trace& t, const Step& right) {
  constexpr std::string_view end = ".heads_here";
  if (!right.name.ends_with(end)) return {};
  const std::string place = right.name.substr(0, right.name.size() - end.size()), name = place + ".heads";
  const arma::mat W = matrix(t[place + ".linears.3.weight"]);
  const std::size_t heads = t["every_head"].size(), n = t[name].shape[t[name].rank() - 2],
                    at = asked_number(t, "place");
  const arma::uword d_k = t[name].shape.back();
  if (W.n_rows != W.n_cols) return {};
  arma::mat rows(heads, W.n_cols);
  for (arma::uword h = 0; h < rows.n_rows; ++h) {
    const arma::rowvec mixture(t[name].data.data() + (h * n + at) * d_k, d_k);
    rows.row(h) = mixture * W.rows(h * d_k, (h + 1) * d_k - 1);
  }
  return valued_instead(right, name + "[h]·W_O[h·d_k : (h + 1)·d_k]", to_tensor(rows));
}

/// The bias is no part's, and so it is forgotten.
std::optional<Step> no_bias(const Trace& t, const Step& right) {
  const bool are_terms = right.name == "terms" || right.name == "difference.terms";
  if (!are_terms || !t.has("bias")) return {};
  const std::size_t last = right.value.size() - 1;
  return cells_instead(right, "[read; …; 0]",
                       [&](std::size_t i) { return i == last ? 0 : right.value.data[i]; });
}

} // namespace

std::vector<Mistake> lens_mistakes() {
  return in_own_lesson(
      {Mistake{"lens.no_gain", {{"gained, difference.gained", "A"}}}.as_a_whole().mended_by(
           "gained = gain * w", "gained = gain * w", "gained = gain % w"),
       Mistake{"lens.no_mean", {{"centred, difference.centred", "A"}}}.as_a_whole().mended_by(
           "gained - gained.mean()", "gained - gained.mean()", "gained - arma::mean(gained)"),
       Mistake{"lens.no_divisor", {{"direction, difference.direction", "A"}}}.as_a_whole(),
       Mistake{"lens.no_bias", no_bias}.as_a_whole(),
       Mistake{"lens.no_shift", {{"shift_term, difference.shift_term", "x − x", "0"}}}.as_a_whole(),
       Mistake{"lens.rows_of_W_O", rows_of_W_O}.as_a_whole(),
       {"lens.no_norm", {{"lens.normed", "stream"}}}});
}

} // namespace tfx
