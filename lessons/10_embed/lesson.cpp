// Lesson 10: words become vectors that know where they stand. Source: annotated, Embeddings and
// PositionalEncoding; attention-block, EmbeddingLayer and PositionalEmbedding; Vaswani et al. 2017, 3.4
// and 3.5.

#include "core/broadcast.hpp"
#include "input/give.hpp"
#include "lessons/10_embed/experiments.hpp"
#include "lessons/layer_formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"

#include <cmath>

namespace tfx {

namespace {

using arma::mat;

// A one-hot row has as many numbers as there are words: 10000 of them show nothing.
constexpr std::size_t most_columns = 64;

arma::uvec ids_of(const Trace& t, std::size_t sentence) {
  const Tensor& ids = t["token_ids"];
  const std::size_t n = ids.shape.back();
  arma::uvec numbers(n);
  for (std::size_t i = 0; i < n; ++i) numbers(i) = static_cast<arma::uword>(ids.data[sentence * n + i]);
  return numbers;
}

// One matrix for each sentence: (…, n) → (…, n, columns).
Tensor for_each_sentence(const Trace& t, const std::function<mat(const arma::uvec&)>& formula) {
  Shape shape = t["token_ids"].shape;
  const std::size_t sentences = t["token_ids"].size() / shape.back();
  Tensor result;
  for (std::size_t i = 0; i < sentences; ++i) {
    const mat value = formula(ids_of(t, i));
    if (i == 0) shape.push_back(value.n_cols), result = Tensor(shape);
    set_matrix(result, i, value);
  }
  return result;
}

void add_words(Trace& t, bool learned) {
  const mat E = matrix(t["token_embedding"]);
  if (E.n_rows <= most_columns) {
    t.add("one_hot", "[token_ids = column]", how::of(Op::one_hot, {"token_embedding", "token_ids"}),
          Role::result, [&] {
            return for_each_sentence(t, [&](const arma::uvec& ids) { return page::one_hot(ids, E.n_rows); });
          });
    t.add("product", "one_hot·token_embedding", how::of(Op::matmul, {"one_hot", "token_embedding"}),
          Role::result,
          [&] { return for_each_matrix(t["one_hot"], [&](const mat& H) { return mat(H * E); }); });
  }
  t.add("token_vectors", "token_embedding[token_ids]", how::of(Op::gather, {"token_embedding", "token_ids"}),
        Role::result,
        [&] { return for_each_sentence(t, [&](const arma::uvec& ids) { return page::look_up(E, ids); }); });
  if (learned) return;
  const std::string root = "√" + std::to_string(E.n_cols);
  t.add("embedded", "token_vectors·√d_model = token_vectors·" + root,
        how::of(Op::multiply_by, {"token_vectors"}, std::sqrt(static_cast<double>(E.n_cols)), root),
        Role::result,
        [&] { return for_each_sentence(t, [&](const arma::uvec& ids) { return page::embed(E, ids); }); });
}

void add_sinusoids(Trace& t) {
  const std::size_t d = t["token_embedding"].shape[1];
  t.add("angles", "positions/10000^(2⌊j/2⌋/d)",
        how::of(Op::angle, {"positions"}, static_cast<double>(d), std::to_string(d)), Role::result,
        [&] { return to_tensor(page::angles(arma::vec(t["positions"].data), d)); });
  t.add("position_vectors", "sin(angles[:, 0::2]), cos(angles[:, 1::2])", how::of(Op::sin_cos, {"angles"}),
        Role::result, [&] { return for_each_matrix(t["angles"], page::sinusoids); });
  t.add("X", "embedded + position_vectors", how::of(Op::add, {"embedded", "position_vectors"}), Role::result,
        [&] { return for_each_matrix(t["embedded"], t["position_vectors"], page::residual); });
}

// A table with a row for every position, which the tutorial adds in float32.
void add_learned_positions(Trace& t, const LessonInput& input) {
  give(t, input, "position_embedding");
  const mat P = matrix(t["position_embedding"]);
  t.add("position_vectors", "position_embedding[positions]",
        how::of(Op::gather, {"position_embedding", "positions"}), Role::result,
        [&] { return to_tensor(mat(P.head_rows(t["positions"].size()))); });
  const bool single = input.has("X");
  t.add("X", "token_vectors + position_vectors",
        how::of(Op::add, {"token_vectors", "position_vectors"}, 0, single ? "float32" : ""), Role::result,
        [&] {
          return for_each_matrix(t["token_vectors"], t["position_vectors"], [&](const mat& a, const mat& b) {
            if (!single) return page::residual(a, b);
            return mat(arma::conv_to<mat>::from(
                arma::fmat(arma::conv_to<arma::fmat>::from(a) + arma::conv_to<arma::fmat>::from(b))));
          });
        });
}

// A one-hot row times the table is a row of the table: every other product is 0.
void check_one_hot(Trace& t) {
  const mat E = matrix(t["token_embedding"]);
  const arma::uvec ids = ids_of(t, 0);
  t.check_at_most("one_hot_is_look_up",
                  absolute_difference(page::one_hot(ids, E.n_rows) * E, page::look_up(E, ids)), 0);
}

double mean_length(const Tensor& t) {
  return arma::mean(page::words(matrix(t)).norms);
}

} // namespace

Trace run_embed(const LessonInput& input) {
  Trace t = begin("embed", input, "X");
  for (const char* name : {"token_ids", "token_embedding"}) give(t, input, name);
  const bool learned = input.has("position_embedding");
  add_words(t, learned);
  give(t, input, "positions");
  if (learned)
    add_learned_positions(t, input);
  else
    add_sinusoids(t);

  if (t["X"].rank() == 2 && t["X"].shape[0] > 1 && t["X"].shape[1] > 1) t.spotlight = Index{1, 1};
  check_one_hot(t);
  check_order(t);
  if (!learned) check_distance(t);
  state_wrong_positions(t);
  t.facts["vocabulary"] = static_cast<double>(t["token_embedding"].shape[0]);
  if (!learned) {
    t.facts["word_length"] = mean_length(t["token_vectors"]);
    t.facts["embedded_length"] = mean_length(t["embedded"]);
    t.facts["position_length"] = mean_length(t["position_vectors"]);
  }
  return t;
}

} // namespace tfx
