// What learners write instead of token_vectors·√d_model + position_vectors.

#include "core/tensor.hpp"
#include "lessons/embed/experiments.hpp"
#include "trace/mistake.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;

bool is_embed(const Trace& t, const Step& right, const char* name) {
  return t.lesson == "embed" && right.name == name;
}

Step unscaled(const Trace& t, const Step& right) {
  return computed_instead(t, right, "token_vectors", op::multiply_by("token_vectors").with(1, "1"));
}

std::optional<Step> no_scale(const Trace& t, const Step& right) {
  if (!is_embed(t, right, "embedded")) return {};
  return unscaled(t, right);
}

// As the scores are scaled.
std::optional<Step> divided(const Trace& t, const Step& right) {
  if (!is_embed(t, right, "embedded")) return {};
  const std::string& root = right.operation.constant_text;
  return computed_instead(t, right, "token_vectors/√d_model = token_vectors/" + root,
                          op::divide_by("token_vectors").with(right.operation.constant, root));
}

// (token_vectors + position_vectors)·√d_model
std::optional<Step> positions_scaled(const Trace& t, const Step& right) {
  if (is_embed(t, right, "embedded")) return unscaled(t, right);
  if (!is_embed(t, right, "X") || !t.has("embedded")) return {};
  const double root = std::sqrt(static_cast<double>(right.value.shape.back()));
  return valued_instead(
      right, "(token_vectors + position_vectors)·√d_model",
      for_each_matrix(t["token_vectors"], t["position_vectors"],
                      [&](const mat& words, const mat& P) { return mat((words + P) * root); }));
}

std::optional<Step> halves(const Trace& t, const Step& right) {
  if (!is_embed(t, right, "position_vectors") || !t.has("angles")) return {};
  return valued_instead(right, "concatenate(sin(angles[:, 0::2]), cos(angles[:, 1::2]))",
                        to_tensor(sines_beside_cosines(matrix(t["angles"]))));
}

std::optional<Step> no_cos(const Trace& t, const Step& right) {
  if (!is_embed(t, right, "position_vectors") || !t.has("angles")) return {};
  return valued_instead(right, "sin(angles)", to_tensor(mat(arma::sin(matrix(t["angles"])))));
}

// The first `count` positions.
mat positions_of(const Trace& t, arma::uword count) {
  const mat P = matrix(t["position_vectors"]);
  if (count <= P.n_rows) return P.head_rows(count);
  if (t.has("angles")) return page::sinusoidal_positions(count, P.n_cols);
  const mat table = matrix(t["position_embedding"]);
  if (count > table.n_rows)
    refuse_shapes(with_shape("position_embedding", t["position_embedding"].shape) +
                      "[:" + std::to_string(count) + "]",
                  table.n_rows, count);
  return table.head_rows(count);
}

// P[:len(X)] of a (batch, n, d) array counts sentences.
std::optional<Step> batch_axis(const Trace& t, const Step& right) {
  if (!is_embed(t, right, "X")) return {};
  const std::string words = right.operation.inputs[0];
  const mat P = positions_of(t, matrix_count(right.value));
  Tensor value = t[words];
  for (std::size_t sentence = 0; sentence < matrix_count(value); ++sentence)
    set_matrix(value, sentence, matrix(value, sentence).each_row() + P.row(sentence));
  return valued_instead(right, words + " + position_vectors[sentence]", std::move(value));
}

// arange(1, n + 1)
std::optional<Step> from_one(const Trace& t, const Step& right) {
  if (!is_embed(t, right, "positions") || t.has("position_embedding")) return {};
  Tensor value = right.value;
  for (double& position : value.data) ++position;
  return valued_instead(right, "1 … n", std::move(value));
}

Tensor angles_by(const Trace& t, const std::function<double(double column, double d)>& power) {
  const Tensor& positions = t["positions"];
  const std::size_t d = t["token_embedding"].shape.back();
  Tensor angles({positions.size(), d});
  for (std::size_t i = 0; i < angles.size(); ++i)
    angles.data[i] =
        positions.data[i / d] / std::pow(10000, power(static_cast<double>(i % d), static_cast<double>(d)));
  return angles;
}

// j where 2⌊j/2⌋ belongs: a sine and its cosine no longer share a wavelength.
std::optional<Step> own_wavelengths(const Trace& t, const Step& right) {
  if (!is_embed(t, right, "angles")) return {};
  return valued_instead(right, "positions/10000^(j/d)",
                        angles_by(t, [](double j, double d) { return j / d; }));
}

// The number of the pair where the column's belongs.
std::optional<Step> pair_number(const Trace& t, const Step& right) {
  if (!is_embed(t, right, "angles")) return {};
  return valued_instead(right, "positions/10000^(⌊j/2⌋/d)",
                        angles_by(t, [](double j, double d) { return std::floor(j / 2) / d; }));
}

} // namespace

std::vector<Mistake> embed_mistakes() {
  return {Mistake{"embed.no_scale", no_scale}.mended_by("E[ids] * np.sqrt(d_model)",
                                                        "embedding(ids) * math.sqrt(d_model)",
                                                        "E.rows(ids) * std::sqrt(d_model)"),
          Mistake{"embed.divided", divided}.mended_by("E[ids] * np.sqrt(d_model)",
                                                      "embedding(ids) * math.sqrt(d_model)",
                                                      "E.rows(ids) * std::sqrt(d_model)"),
          Mistake{"embed.positions_scaled", positions_scaled}.mended_by(
              "E[ids] * np.sqrt(d_model) + P", "embedding(ids) * math.sqrt(d_model) + P",
              "E.rows(ids) * std::sqrt(d_model) + P"),
          Mistake{"position.from_one", from_one}.mended_by("np.arange(n)", "torch.arange(n)",
                                                           "arma::regspace(0, n - 1)"),
          {"position.own_wavelengths", own_wavelengths},
          {"position.pair_number", pair_number},
          Mistake{"position.halves", halves}.mended_by(
              "P[:, 0::2] = np.sin(…), P[:, 1::2] = np.cos(…)",
              "P[:, 0::2] = torch.sin(…), P[:, 1::2] = torch.cos(…)",
              "P(i, 2 * j) = std::sin(…), P(i, 2 * j + 1) = std::cos(…)"),
          Mistake{"position.no_cos", no_cos}.mended_by("P[:, 1::2] = np.cos(…)", "P[:, 1::2] = torch.cos(…)",
                                                       "P(i, 2 * j + 1) = std::cos(…)"),
          {"position.batch_axis", batch_axis}};
}

} // namespace tfx
