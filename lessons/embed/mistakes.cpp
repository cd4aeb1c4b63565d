// What learners write instead of token_vectors·√d_model + position_vectors.

#include "core/tensor.hpp"
#include "lessons/embed/experiments.hpp"
#include "page/layer_formulas.hpp"
#include "trace/mistake.hpp"

#include <cmath>

namespace tfx {

namespace {

using arma::mat;

bool is_embed(const Trace& t, const Step& right, const char* name) {
  return t.lesson == "embed" && right.name == name;
}

std::optional<Step> halves(const Trace& t, const Step& right) {
  if (!is_embed(t, right, "position_vectors") || !t.has("angles")) return {};
  return valued_instead(right, "concatenate(sin(angles[:, 0::2]), cos(angles[:, 1::2]))",
                        to_tensor(sines_beside_cosines(matrix(t["angles"]))));
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

} // namespace

std::vector<Mistake> embed_mistakes() {
  return in_own_lesson(
      {Mistake{"embed.no_scale", {{"embedded", "token_vectors"}}}.mended_by(
           "E[ids] * np.sqrt(d_model)", "embedding(ids) * math.sqrt(d_model)",
           "E.rows(ids) * std::sqrt(d_model)"),
       Mistake{"embed.divided", {{"embedded", "token_vectors/√d_model"}}}.mended_by(
           "E[ids] * np.sqrt(d_model)", "embedding(ids) * math.sqrt(d_model)",
           "E.rows(ids) * std::sqrt(d_model)"),
       Mistake{"embed.positions_scaled",
               {{"embedded", "token_vectors"},
                {"X if embedded", "(token_vectors + position_vectors)·√d_model",
                 "(token_vectors + position_vectors)·√d_model"}}}
           .mended_by("E[ids] * np.sqrt(d_model) + P", "embedding(ids) * math.sqrt(d_model) + P",
                      "E.rows(ids) * std::sqrt(d_model) + P"),
       Mistake{"position.from_one", {{"positions unless position_embedding", "x + 1", "1 … n"}}}.mended_by(
           "np.arange(n)", "torch.arange(n)", "arma::regspace(0, n - 1)"),
       {"position.own_wavelengths",
        {{"angles", "column(positions)/10000^(j/d_model)", "positions/10000^(j/d)"}}},
       {"position.pair_number",
        {{"angles", "column(positions)/10000^(⌊j/2⌋/d_model)", "positions/10000^(⌊j/2⌋/d)"}}},
       Mistake{"position.halves", halves}.mended_by(
           "P[:, 0::2] = np.sin(…), P[:, 1::2] = np.cos(…)",
           "P[:, 0::2] = torch.sin(…), P[:, 1::2] = torch.cos(…)",
           "P(i, 2 * j) = std::sin(…), P(i, 2 * j + 1) = std::cos(…)"),
       Mistake{"position.no_cos", {{"position_vectors", "sin(angles)"}}}.mended_by(
           "P[:, 1::2] = np.cos(…)", "P[:, 1::2] = torch.cos(…)", "P(i, 2 * j + 1) = std::cos(…)"),
       {"position.batch_axis", batch_axis}});
}

} // namespace tfx
