// Lesson embed: words become vectors that know where they stand. Source: annotated, Embeddings and
// PositionalEncoding; attention-block, EmbeddingLayer and PositionalEmbedding; Vaswani et al. 2017, 3.4
// and 3.5.

#include "core/tensor.hpp"
#include "input/lesson_input.hpp"
#include "lessons/embed/experiments.hpp"
#include "page/layer_formulas.hpp"
#include "steps/attention_steps.hpp"
#include "steps/layer_steps.hpp"
#include "trace/checks.hpp"

#include <cmath>

namespace tfx {

namespace {

using arma::mat;

// A one-hot row has as many numbers as there are words: 10000 of them show nothing.
constexpr std::size_t max_columns = 64;

void add_words(Trace& t, bool learned) {
  const Shape table = t["token_embedding"].shape;
  if (table[0] <= max_columns) {
    t.add("one_hot", op::one_hot("token_embedding", "token_ids"), Role::result);
    t.add("product", op::matmul("one_hot", "token_embedding"), Role::result);
  }
  t.add("token_vectors", op::gather("token_embedding", "token_ids"), Role::result);
  if (learned) return;
  const std::string root = "√" + std::to_string(table[1]);
  t.add("embedded", op::multiply_by("token_vectors").with(std::sqrt(static_cast<double>(table[1])), root),
        Role::result, "token_vectors·√d_model = token_vectors·" + root);
}

void add_sinusoids(Trace& t) {
  const std::size_t d = t["token_embedding"].shape[1];
  t.add("angles", op::angle("positions").with(static_cast<double>(d), std::to_string(d)), Role::result);
  t.add("position_vectors", op::sin_cos("angles"), Role::result);
  t.add("X", op::add("embedded", "position_vectors"), Role::result);
}

// A table with a row for every position, which the tutorial adds in float32.
void add_learned_positions(Trace& t, const LessonInput& input) {
  give(t, input, "position_embedding");
  t.add("position_vectors", op::gather("position_embedding", "positions"), Role::result);
  const bool single = input.has("X");
  t.add("X", op::add("token_vectors", "position_vectors").with(0, single ? "float32" : ""), Role::result);
}

// A one-hot row times the table is a row of the table: every other product is 0.
void check_one_hot(Trace& t) {
  const mat E = matrix(t["token_embedding"]);
  const arma::uvec ids = whole_numbers(t["token_ids"], 0, t["token_ids"].shape.back());
  t.check_at_most("one_hot_is_look_up",
                  absolute_difference(page::one_hot(ids, E.n_rows) * E, page::look_up(E, ids)), 0);
}

double mean_length(const Tensor& t) {
  return arma::mean(page::words(matrix(t)).norms);
}

} // namespace

Trace run_embed(const LessonInput& input) {
  Trace t = begin_trace("embed", input, "X");
  for (const char* name : {"token_ids", "token_embedding"}) give(t, input, name);
  const bool learned = input.has("position_embedding");
  add_words(t, learned);
  give(t, input, "positions");
  if (learned)
    add_learned_positions(t, input);
  else
    add_sinusoids(t);

  if (input.dropout > 0) {
    give(t, input, "keep");
    add_dropout(t, "X", "keep", input.dropout, Role::result);
    t.facts["dropout"] = input.dropout;
  }

  if (t["X"].rank() == 2 && t["X"].shape[0] > 1 && t["X"].shape[1] > 1) t.spotlight = {t.main, {1, 1}};
  check_one_hot(t);
  check_order(t);
  if (!learned) check_distance(t), check_rotation(t);
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
