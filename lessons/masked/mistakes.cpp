// What learners write instead of where(mask, scaled, −∞) before the softmax.

#include "trace/mistake.hpp"

#include "core/tensor.hpp"

#include <algorithm>
#include <limits>

namespace tfx {

namespace {

using arma::mat;

// Of a lesson with a mask; the steps of a cache are masked by what they have kept.
bool is_masked(const Trace& t, const Step& step) {
  return step.name == "masked" && t.has("mask");
}

// No mask at all; in cross-attention that is cross.no_source_mask.
std::optional<Step> forgotten(const Trace& t, const Step& right) {
  if (!is_masked(t, right) || has_memory(t)) return {};
  return computed_instead(t, right, "scaled", op::multiply_by("scaled").with(1, "1"));
}

// −∞ where one may look.
std::optional<Step> polarity(const Trace& t, const Step& right) {
  if (!is_masked(t, right)) return {};
  return valued_instead(right, "where(mask, −∞, scaled)",
                        for_each_matrix(t["scaled"], t["mask"], [](const mat& S, const mat& mask) {
                          return page::mask_fill(S, 1 - mask);
                        }));
}

// Another triangle: 1 where visible(query, key).
Step triangle(const Step& right, const std::string& formula, bool (*visible)(arma::uword, arma::uword)) {
  mat mask = matrix(right.value);
  for (arma::uword i = 0; i < mask.n_rows; ++i)
    for (arma::uword j = 0; j < mask.n_cols; ++j) mask(i, j) = visible(i, j) ? 1 : 0;
  return valued_instead(right, formula, to_tensor(mask));
}

// np.triu for np.tril: the past is blocked.
std::optional<Step> flipped(const Trace&, const Step& right) {
  if (!right.operation.is(op::causal_mask)) return {};
  return triangle(right, "[j ≥ i]", [](arma::uword i, arma::uword j) { return j >= i; });
}

// A token does not see itself.
std::optional<Step> diagonal(const Trace&, const Step& right) {
  if (!right.operation.is(op::causal_mask)) return {};
  return triangle(right, "[j < i]", [](arma::uword i, arma::uword j) { return j < i; });
}

// Zeros put into finished weights: the rest of a row no longer sums to 1.
std::optional<Step> after_softmax(const Trace& t, const Step& right) {
  if (right.name != "weights" || !t.has("mask")) return {};
  return valued_instead(right, "softmax(scaled)⊙mask",
                        for_each_matrix(t["scaled"], t["mask"], [](const mat& S, const mat& mask) {
                          return mat(page::softmax(S).weights % mask);
                        }));
}

// scores += masked scores: what is visible counts double.
std::optional<Step> added_twice(const Trace& t, const Step& right) {
  if (!is_masked(t, right)) return {};
  const Tensor& scaled = cells_beside(t, right, "scaled");
  Tensor sum = right.value;
  for (std::size_t i = 0; i < sum.size(); ++i) sum.data[i] += scaled.data[i];
  return valued_instead(right, "scaled + " + right.formula, std::move(sum));
}

// A mask of keys laid over the queries. The causal mask has its own: mask.flipped.
std::optional<Step> rows(const Trace&, const Step& right) {
  const bool given = (right.name == "mask" || right.name == "mask_given") && right.role == Role::input;
  if (!given && !right.operation.is(op::padding_mask)) return {};
  Tensor turned = for_each_matrix(right.value, [](const mat& mask) { return mat(mask.t()); });
  if (turned.shape != right.value.shape)
    refuse_shapes(with_shape(right.name + "ᵀ", turned.shape) + ", " + with_shape("scores", right.value.shape),
                  turned.shape.back(), right.value.shape.back());
  return valued_instead(right, right.name + "ᵀ", std::move(turned));
}

// A mask (B, n, n) beside scores (B, h, n, n): NumPy aligns at the right, and B falls on the heads.
std::optional<Step> on_heads(const Trace& t, const Step& right) {
  const Shape& scores = t.has("scaled") ? t["scaled"].shape : right.value.shape;
  if (!is_masked(t, right) || scores.size() != 4) return {};
  Tensor mask = t["mask"];
  if (mask.rank() == 3 || (mask.rank() == 4 && mask.shape[1] != 1)) return {}; // made for the heads
  if (mask.rank() == 4) mask.shape.erase(mask.shape.begin() + 1);
  if (mask.rank() == 2) // the same for every sentence
    mask = for_each_matrix(Tensor({scores[0], 1, 1}), mask, [](const mat&, const mat& m) { return m; });
  if (mask.shape[0] != 1 && mask.shape[0] != scores[1])
    refuse_shapes(with_shape("scores", scores) + ", " + with_shape("mask", mask.shape), scores[1],
                  mask.shape[0]);
  return valued_instead(right, "where(mask[:, 0], scaled, −∞)",
                        for_each_matrix(t["scaled"], mask, page::mask_fill));
}

std::optional<Step> minus_1e9(const Trace& t, const Step& right) {
  if (!is_masked(t, right)) return {};
  Tensor filled = right.value;
  std::ranges::replace(filled.data, -std::numeric_limits<double>::infinity(), -1e9);
  return valued_instead(right, "where(mask, scaled, −1e9)", std::move(filled));
}

// scaled⊙mask: a score of 0 is no −∞, e^0 is 1.
std::optional<Step> zero(const Trace& t, const Step& right) {
  if (!is_masked(t, right)) return {};
  return computed_instead(t, right, "scaled⊙mask", op::multiply("scaled", "mask"));
}

} // namespace

std::vector<Mistake> masked_mistakes() {
  return {Mistake{"mask.forgotten", forgotten}.mended_by(
              "scores = np.where(mask, scores, -np.inf)",
              "scores = scores.masked_fill(mask == 0, float(\"-inf\"))",
              "scores.elem(arma::find(mask == 0)).fill(-arma::datum::inf)"),
          {"mask.polarity", polarity},
          Mistake{"mask.flipped", flipped}.mended_by("np.tril(np.ones((n, n)))",
                                                     "torch.tril(torch.ones(n, n))", "mask(i, j) = j <= i"),
          Mistake{"mask.diagonal", diagonal}.mended_by("np.tril(np.ones((n, n)))",
                                                       "torch.tril(torch.ones(n, n))", "mask(i, j) = j <= i"),
          {"mask.after_softmax", after_softmax},
          Mistake{"mask.added_twice", added_twice}.mended_by(
              "scores = np.where(mask, scores, -np.inf)",
              "scores = scores.masked_fill(mask == 0, float(\"-inf\"))",
              "scores.elem(arma::find(mask == 0)).fill(-arma::datum::inf)"),
          {"mask.rows", rows},
          {"mask.on_heads", on_heads},
          Mistake{"mask.minus_1e9", minus_1e9}.mended_by("-np.inf", "float(\"-inf\")", "-arma::datum::inf"),
          Mistake{"mask.zero", zero}.mended_by("-np.inf", "float(\"-inf\")", "-arma::datum::inf")};
}

} // namespace tfx
