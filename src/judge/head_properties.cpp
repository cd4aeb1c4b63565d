// Properties of heads: each has its own columns, from the weights to what is put side by side.

#include "judge/attention_properties.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

namespace tfx {

namespace {

constexpr std::size_t heads = 2;

// Columns of head k among `width`.
bool of_head(std::size_t column, std::size_t k, std::size_t width) {
  return column / (width / heads) == k;
}

// A weight matrix with `factor` in the columns of head k and `others` in the rest.
Tensor columns_times(Tensor W, std::size_t k, double factor, double others) {
  const std::size_t width = W.shape.back();
  for (std::size_t i = 0; i < W.size(); ++i) W.data[i] *= of_head(i % width, k, width) ? factor : others;
  return W;
}

// Other columns of W_Q for one head: its weights move, those of the others do not.
std::optional<Measured> heads_apart(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!has_heads(lesson)) return {};
  const LessonInput before = probe(lesson, {.heads = heads});
  const Tensor a = compute(before)["weights"];
  double wrong = 0;
  for (std::size_t changed = 0; changed < heads; ++changed) {
    LessonInput after = before;
    replace(after, "W_Q", columns_times(before.given["W_Q"], changed, -1, 1));
    const Tensor b = compute(after)["weights"];
    if (matrix_count(a) != heads || matrix_count(b) != heads) return at_most(heads, 0);
    for (std::size_t k = 0; k < heads; ++k)
      wrong += (relative_difference(matrix(a, k), matrix(b, k)) > rounding) != (k == changed);
  }
  return at_most(wrong, 0);
}

// Values in one head alone: concat has numbers in that head's columns, and zeros in all others.
std::optional<Measured> head_columns(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!has_heads(lesson)) return {};
  const LessonInput whole = probe(lesson, {.heads = heads});
  double wrong = 0;
  for (std::size_t k = 0; k < heads; ++k) {
    LessonInput input = whole;
    replace(input, "W_V", columns_times(whole.given["W_V"], k, 1, 0));
    const Tensor concat = compute(input)["concat"];
    const std::size_t width = concat.shape.back();
    for (std::size_t i = 0; i < concat.size(); ++i)
      wrong += (concat.data[i] != 0) != of_head(i % width, k, width);
  }
  return at_most(wrong, 0);
}

// 2·W_O: the output doubles.
std::optional<Measured> output_projected(const Lesson& lesson, const LessonInput&,
                                         const Computation& compute) {
  if (!has_heads(lesson)) return {};
  const LessonInput before = probe(lesson);
  LessonInput after = before;
  replace(after, "W_O", times(before.given["W_O"], 2));
  const Trace a = compute(before), b = compute(after);
  return at_most(relative_difference(attended(b), times(attended(a), 2)), rounding);
}

} // namespace

std::vector<Property> head_properties() {
  return {
      {"heads_apart", heads_apart}, {"head_columns", head_columns}, {"output_projected", output_projected}};
}

} // namespace tfx
