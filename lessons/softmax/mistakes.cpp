// What learners write instead of softmax(scores/√d_k) along the rows.

#include "trace/mistake.hpp"

#include "core/tensor.hpp"

#include <cmath>

namespace tfx {

namespace {

using arma::mat;

// Lesson 4 takes the softmax apart: the maximum and the sum of each row are steps of their own.
bool in_parts(const Trace& t) {
  return t.has("row_max") || t.has("row_sum");
}

// axis=0, in a stack of matrices axis=-2: each column spends 1.
std::optional<Step> wrong_axis(const Trace& t, const Step& right) {
  const auto columns = [](const Tensor& S, auto part) {
    return for_each_matrix(S, [&](const mat& M) { return mat((page::softmax(M.t()).*part).t()); });
  };
  using page::Softmax;
  const std::string of = softmax_input(t), axis = right.value.rank() > 2 ? ", axis=-2)" : ", axis=0)";
  if (right.name == "row_max")
    return valued_instead(right, "max(" + of + axis, columns(t[of], &Softmax::row_max));
  if (right.name == "row_sum")
    return valued_instead(
        right, "sum(exponentials" + axis,
        for_each_matrix(t["exponentials"], [](const mat& E) { return mat(arma::sum(E, 0)); }));
  if (right.name != "weights" || in_parts(t)) return {};
  return valued_instead(right, "softmax(" + of + axis, columns(t[of], &Softmax::weights));
}

std::optional<Step> scaled_by(const Trace& t, const Step& right, const std::string& name, std::size_t width) {
  const std::string text = std::to_string(width);
  return computed_instead(t, right, "scores/" + name + " = scores/" + text,
                          op::divide_by("scores").with(static_cast<double>(width), text));
}

// The last axis of what the queries were multiplied with; a cache calls it keys.
std::size_t key_width(const Trace& t) {
  const std::string K = per_head(t, "K");
  return t[t.has(K) ? K : "keys"].shape.back();
}

std::optional<Step> no_scale(const Trace& t, const Step& right) {
  if (right.name != "scaled") return {};
  return computed_instead(t, right, "scores", op::divide_by("scores").with(1, "1"));
}

std::optional<Step> scale_d_k(const Trace& t, const Step& right) {
  if (right.name != "scaled") return {};
  return scaled_by(t, right, "d_k", key_width(t));
}

// The root of another size: an axis, counted from the last, of the keys or values.
std::optional<Step> scale_root(const Trace& t, const Step& right, const std::string& of, std::size_t from_end,
                               const std::string& name) {
  const std::string tensor = per_head(t, of);
  if (right.name != "scaled" || !t.has(tensor)) return {};
  const Shape& shape = t[tensor].shape;
  const std::size_t size = shape[shape.size() - from_end];
  const std::string text = "√" + std::to_string(size);
  return computed_instead(t, right, "scores/√" + name + " = scores/" + text,
                          op::divide_by("scores").with(std::sqrt(static_cast<double>(size)), text));
}

std::optional<Step> scale_d_v(const Trace& t, const Step& right) {
  return scale_root(t, right, "V", 1, "d_v");
}

// np.sqrt(len(K)): how many keys there are.
std::optional<Step> scale_n(const Trace& t, const Step& right) {
  return scale_root(t, right, "K", 2, "n_k");
}

std::optional<Step> scale_multiplied(const Trace& t, const Step& right) {
  if (right.name != "scaled") return {};
  const std::string text = "√" + std::to_string(key_width(t));
  return computed_instead(t, right, "scores·√d_k = scores·" + text,
                          op::multiply_by("scores").with(std::sqrt(static_cast<double>(key_width(t))), text));
}

// softmax(scores)/√d_k: the scale comes too late.
std::optional<Step> scale_after(const Trace& t, const Step& right) {
  if (right.name == "scaled") return no_scale(t, right);
  if (right.name != "weights" || !t.has("scaled")) return {};
  Tensor weights = right.value;
  for (double& w : weights.data) w /= std::sqrt(static_cast<double>(key_width(t)));
  return valued_instead(right, right.formula + "/√d_k", std::move(weights));
}

// e^S / Σ e^S without subtracting the maximum. A row that may see nothing stays what it is.
std::optional<Step> no_max(const Trace& t, const Step& right) {
  if (right.name == "row_max") return valued_instead(right, "0", Tensor(right.value.shape));
  if (right.name != "weights" || in_parts(t)) return {};
  const std::string of = softmax_input(t);
  return valued_instead(right, "e^" + of + " / rowsum(e^" + of + ")",
                        for_each_matrix(t[of], right.value, [](const mat& S, const mat& W) {
                          const mat E = arma::exp(S);
                          mat naive = E.each_col() / arma::vec(arma::sum(E, 1));
                          const arma::uvec blocked = arma::find(arma::max(S, 1) == -arma::datum::inf);
                          naive.rows(blocked) = W.rows(blocked);
                          return naive;
                        }));
}

std::optional<Step> twice(const Trace&, const Step& right) {
  if (right.name != "weights") return {};
  return valued_instead(right, "softmax(" + right.formula + ")",
                        for_each_matrix(right.value, [](const mat& W) { return page::softmax(W).weights; }));
}

} // namespace

std::vector<Mistake> softmax_mistakes() {
  return {Mistake{"softmax.wrong_axis", wrong_axis}.mended_by(
              "s.max(axis=-1, keepdims=True), s.sum(axis=-1, keepdims=True)", "F.softmax(s, dim=-1)",
              "arma::max(s, 1), arma::sum(s, 1)"),
          Mistake{"softmax.no_scale", no_scale}.mended_by("scores / np.sqrt(d_k)", "scores / math.sqrt(d_k)",
                                                          "scores / std::sqrt(d_k)"),
          Mistake{"softmax.scale_dk", scale_d_k}.mended_by("scores / np.sqrt(d_k)", "scores / math.sqrt(d_k)",
                                                           "scores / std::sqrt(d_k)"),
          Mistake{"softmax.scale_dv", scale_d_v}.mended_by("np.sqrt(K.shape[-1])", "math.sqrt(K.shape[-1])",
                                                           "std::sqrt(K.n_cols)"),
          Mistake{"softmax.scale_n", scale_n}.mended_by("np.sqrt(K.shape[-1])", "math.sqrt(K.shape[-1])",
                                                        "std::sqrt(K.n_cols)"),
          Mistake{"softmax.scale_multiplied", scale_multiplied}.mended_by(
              "scores / np.sqrt(d_k)", "scores / math.sqrt(d_k)", "scores / std::sqrt(d_k)"),
          Mistake{"softmax.scale_after", scale_after, true}.mended_by(
              "scores / np.sqrt(d_k)", "scores / math.sqrt(d_k)", "scores / std::sqrt(d_k)"),
          Mistake{"softmax.no_max", no_max}.mended_by("np.exp(s - s.max(-1, keepdims=True))",
                                                      "torch.exp(s - s.amax(-1, keepdim=True))",
                                                      "s.each_col() -= arma::max(s, 1)"),
          {"softmax.twice", twice}};
}

} // namespace tfx
