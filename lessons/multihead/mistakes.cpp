// What learners write instead of splitting into heads, attending in each, and merging.

#include "trace/mistake.hpp"

#include "core/tensor.hpp"
#include "steps/attention_steps.hpp"

#include <cmath>

namespace tfx {

namespace {

using arma::mat;

// reshape(h, n, d_k): a head gets whole tokens, cut up, instead of a slice of every token.
std::optional<Step> split_no_transpose(const Trace& t, const Step& right) {
  if (!right.operation.is(op::split_heads)) return {};
  Tensor heads = t[right.operation.inputs[0]];
  heads.shape = right.value.shape;
  return valued_instead(right, right.operation.inputs[0] + ".reshape(h, n, d_k)", std::move(heads));
}

// reshape(n, d_k, h): head i gets columns i, i + h, …
std::optional<Step> interleaved(const Trace& t, const Step& right) {
  if (!right.operation.is(op::split_heads)) return {};
  const auto h = static_cast<arma::uword>(right.operation.constant);
  Tensor dealt = for_each_matrix(t[right.operation.inputs[0]], [&](const mat& M) {
    mat columns(arma::size(M));
    const arma::uword d_k = M.n_cols / h;
    for (arma::uword j = 0; j < M.n_cols; ++j) columns.col(j) = M.col(j % d_k * h + j / d_k);
    return columns;
  });
  return valued_instead(right, right.operation.inputs[0] + ".reshape(n, d_k, h)", split_heads(dealt, h));
}

// Every head with the first one's columns of the weights.
std::optional<Step> shared_weights(const Trace&, const Step& right) {
  if (!right.operation.is(op::split_heads)) return {};
  const std::size_t h = right.value.shape[right.value.rank() - 3];
  Tensor heads = right.value;
  for (std::size_t i = 0; i < matrix_count(heads); ++i) set_matrix(heads, i, matrix(right.value, i - i % h));
  const std::size_t axis = right.value.rank() - 3;
  return valued_instead(right,
                        right.formula + "[" + (axis == 1 ? ":, " : "") + ":1].repeat(" + std::to_string(h) +
                            ", axis=" + std::to_string(axis) + ")",
                        std::move(heads));
}

// The mean over the heads. nn.MultiheadAttention returns its weights like this, for looking at.
Tensor mean_of_heads(const Tensor& heads) {
  const std::size_t h = heads.shape[heads.rank() - 3];
  Tensor mean(heads.shape);
  mean.shape[heads.rank() - 3] = 1;
  mean.data.resize(heads.size() / h);
  for (std::size_t i = 0; i < matrix_count(mean); ++i) {
    mat sum = matrix(heads, i * h);
    for (std::size_t k = 1; k < h; ++k) sum += matrix(heads, i * h + k);
    set_matrix(mean, i, sum / static_cast<double>(h));
  }
  return mean;
}

std::optional<Step> weights_averaged(const Trace& t, const Step& right) {
  if (right.name != "weights" || !t.has("K_heads")) return {};
  const std::string axis = std::to_string(right.value.rank() - 3);
  return valued_instead(right, "mean(" + right.formula + ", axis=" + axis + ")", mean_of_heads(right.value));
}

// Gradients of Q, K and V are merged too, and have other widths.
bool merges_output(const Step& right) {
  return right.operation.is(op::merge_heads) && right.operation.inputs[0] == "heads";
}

// Heads averaged, not put side by side.
std::optional<Step> averaged(const Trace& t, const Step& right) {
  if (!merges_output(right)) return {};
  Tensor mean = mean_of_heads(t["heads"]);
  mean.shape.erase(mean.shape.end() - 3);
  return valued_instead(right, "(head₁ + … + head_h)/h", std::move(mean));
}

// reshape(n, h·d_k) of what stands in memory as (h, n, d_k).
std::optional<Step> merge_no_transpose(const Trace& t, const Step& right) {
  if (!merges_output(right)) return {};
  Tensor concat = t["heads"];
  concat.shape = right.value.shape;
  return valued_instead(right, "heads.reshape(n, h·d_k)", std::move(concat));
}

} // namespace

std::vector<Mistake> multihead_mistakes() {
  return {Mistake{"heads.split_no_transpose", split_no_transpose}.mended_by(
              "Q.reshape(n, h, d_k).transpose(1, 0, 2)", "Q.view(n, h, d_k).transpose(0, 1)",
              "Q.cols(i * d_k, (i + 1) * d_k - 1)"),
          Mistake{"heads.interleaved", interleaved}.mended_by("Q.reshape(n, h, d_k)", "Q.view(n, h, d_k)",
                                                              "Q.cols(i * d_k, (i + 1) * d_k - 1)"),
          {"heads.shared_weights", shared_weights},
          Mistake{"heads.scale_d_model",
                  {{"scaled if K_heads", "scores/√width", "scores/√d_model = scores/√width"}}}
              .mended_by("np.sqrt(d_k)", "math.sqrt(d_k)", "std::sqrt(d_k)"),
          {"heads.weights_averaged", weights_averaged},
          Mistake{"heads.averaged", averaged}.mended_by("np.concatenate(heads, axis=-1) @ W_O",
                                                        "torch.cat(heads, dim=-1) @ W_O",
                                                        "arma::join_rows(head_1, head_2) * W_O"),
          Mistake{"heads.merge_no_transpose", merge_no_transpose}.mended_by(
              "heads.transpose(1, 0, 2).reshape(n, h * d_k)", "heads.transpose(0, 1).reshape(n, h * d_k)",
              "arma::join_rows(head_1, head_2)"),
          Mistake{"heads.no_output", {{"@matmul of concat", "A"}}}.mended_by("concat @ W_O", "concat @ W_O",
                                                                             "concat * W_O")};
}

} // namespace tfx
