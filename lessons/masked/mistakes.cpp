// What learners write instead of where(mask, scaled, −∞) before the softmax.

#include "page/layer_formulas.hpp"
#include "trace/mistake.hpp"

#include "core/tensor.hpp"

namespace tfx {

namespace {

using arma::mat;

// Of a lesson with a mask; the steps of a cache are masked by what they have kept.
bool is_masked(const Trace& t, const Step& step) {
  return step.name == "masked" && t.has("mask");
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

} // namespace

std::vector<Mistake> masked_mistakes() {
  return {
      Mistake{"mask.forgotten", {{"masked if mask unless memory", "scaled"}}}.mended_by(
          "scores = np.where(mask, scores, -np.inf)",
          "scores = scores.masked_fill(mask == 0, float(\"-inf\"))",
          "scores.elem(arma::find(mask == 0)).fill(-arma::datum::inf)"),
      {"mask.polarity", {{"masked if mask", "where(mask, −∞, scaled)"}}},
      Mistake{"mask.flipped", {{"@causal_mask", "[j ≥ i]"}}}.mended_by(
          "np.tril(np.ones((n, n)))", "torch.tril(torch.ones(n, n))", "mask(i, j) = j <= i"),
      Mistake{"mask.diagonal", {{"@causal_mask", "[j < i]"}}}.mended_by(
          "np.tril(np.ones((n, n)))", "torch.tril(torch.ones(n, n))", "mask(i, j) = j <= i"),
      {"mask.after_softmax", {{"weights if mask", "softmax(scaled)⊙mask"}}},
      Mistake{"mask.added_twice", {{"masked if mask", "scaled + x"}}}.mended_by(
          "scores = np.where(mask, scores, -np.inf)",
          "scores = scores.masked_fill(mask == 0, float(\"-inf\"))",
          "scores.elem(arma::find(mask == 0)).fill(-arma::datum::inf)"),
      {"mask.rows", rows},
      {"mask.on_heads", on_heads},
      Mistake{"mask.minus_1e9", {{"masked if mask", "where([x = −∞], −1e9, x)", "where(mask, scaled, −1e9)"}}}
          .mended_by("-np.inf", "float(\"-inf\")", "-arma::datum::inf"),
      Mistake{"mask.zero", {{"masked if mask", "scaled⊙mask"}}}.mended_by("-np.inf", "float(\"-inf\")",
                                                                          "-arma::datum::inf")};
}

} // namespace tfx
