// Properties of the output: who moves it, and how far.

#include "core/broadcast.hpp"
#include "judge/attention_properties.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

#include <algorithm>

namespace tfx {

namespace {

using arma::mat;

// Every output lies between the smallest and the largest value of its column. Rows that may see nothing mix
// none, and dropout stretches what it leaves.
std::optional<Measured> convex(const Lesson&, const LessonInput& input, const Computation& compute) {
  const Trace t = compute(input);
  const std::string V = per_head(t, "V"), output = t.has("heads") ? "heads" : "output";
  if (!t.has("weights") || !t.has(V) || !t.has(output) || t.has("dropped")) return {};
  const Tensor& seen = t[softmax_input(t)];
  double outside = 0, largest = 1;
  for_each_matrix(seen, t[V], t[output], [&](const mat& S, const mat& values, const mat& out) {
    if (!values.is_finite()) return out;
    const arma::rowvec low = arma::min(values, 0), high = arma::max(values, 0);
    largest = std::max(largest, arma::abs(values).max());
    if (out.n_cols != values.n_cols) outside = 1;
    for (arma::uword i = 0; i < out.n_rows && out.n_cols == values.n_cols; ++i) {
      if (i < S.n_rows && S.row(i).max() == -arma::datum::inf) continue;
      const double off = std::max((low - out.row(i)).max(), (out.row(i) - high).max());
      if (!(off <= outside)) outside = out.row(i).is_finite() ? off : arma::datum::inf;
    }
    return out;
  });
  return at_most(outside, rounding * largest);
}

// 2·W_V: the output doubles, and no weight moves.
std::optional<Measured> values_mixed(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!projects(lesson)) return {};
  const LessonInput before = probe(lesson);
  const Trace a = compute(before);
  if (!a.has("output")) return {};
  LessonInput after = before;
  replace(after, "W_V", times(before.given["W_V"], 2));
  const Trace b = compute(after);
  return at_most(std::max(relative_difference(attended(b), times(attended(a), 2)),
                          relative_difference(b["weights"], a["weights"])),
                 rounding);
}

// Queries, keys and values apart from each other, where a lesson takes them so.
std::optional<LessonInput> apart(const Lesson& lesson) {
  const bool triple = lesson.stage == Stage::attention, projected = lesson.stage == Stage::heads;
  if (!triple && !projected && lesson.stage != Stage::memory) return {};
  LessonInput input = probe(lesson);
  for (const std::string letter : {"Q", "K", "V"})
    if (triple || projected)
      replace(input, projected ? "X_" + letter : letter,
              noise(input.given["X"].shape, static_cast<std::uint32_t>(letter[0])));
  return input;
}

// Another query moves its own row and no other.
std::optional<Measured> query_alone(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const std::optional<LessonInput> before = apart(lesson);
  if (!before) return {};
  LessonInput after = *before;
  const std::string queries = before->has("Q") ? "Q" : before->has("X_Q") ? "X_Q" : "X";
  replace(after, queries, with_other_row(before->given[queries], 1));
  const Trace a = compute(*before), b = compute(after);
  double others = 0;
  for (std::size_t i = 0; i < before->given[queries].shape[0]; ++i)
    if (i != 1) others = std::max(others, row_moved(attended(b), attended(a), i));
  if (row_moved(attended(b), attended(a), 1) <= rounding) others = 1; // nobody asked
  return at_most(others, rounding);
}

Tensor reversed(const Tensor& A) {
  return for_each_matrix(A, [](const mat& M) { return mat(arma::reverse(M)); });
}

// Tokens in another order: the same outputs in that order. The memory in another order: the same outputs.
std::optional<Measured> order_free(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!projects(lesson)) return {};
  const LessonInput before = probe(lesson);
  const Trace a = compute(before);
  if (!a.has("scores")) return {};
  LessonInput after = before;
  replace(after, keys_source(lesson), reversed(before.given[keys_source(lesson)]));
  const Trace b = compute(after);
  if (lesson.stage == Stage::memory) return at_most(relative_difference(attended(b), attended(a)), rounding);
  Tensor back = reversed(attended(b));
  if (!a.has("output")) back = for_each_matrix(back, [](const mat& M) { return mat(arma::reverse(M, 1)); });
  return at_most(relative_difference(back, attended(a)), rounding);
}

Tensor sentence(const Tensor& batch, std::size_t i) {
  Shape shape(batch.shape.begin() + 1, batch.shape.end());
  const std::size_t size = element_count(shape);
  const auto first = batch.data.begin() + static_cast<std::ptrdiff_t>(i * size);
  return {std::move(shape), {first, first + static_cast<std::ptrdiff_t>(size)}};
}

// Two sentences at once, each with a mask of its own: each as if it were alone.
std::optional<Measured> batches_apart(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!projects(lesson)) return {};
  constexpr std::size_t batch = 2;
  LessonInput together = probe(lesson, {.heads = batch, .batch = batch});
  if (lesson.masks()) {
    const std::size_t n = together.given["X"].shape[1], n_k = together.given[keys_source(lesson)].shape[1];
    Tensor mask(Shape{batch, n, n_k}, std::vector<double>(batch * n * n_k, 1));
    for (std::size_t i = 0; i < n; ++i) mask.at({0, i, n_k - 1}) = mask.at({1, i, 0}) = 0;
    if (has_heads(lesson)) mask.shape.insert(mask.shape.begin() + 1, 1);
    replace(together, "mask_given", std::move(mask));
  }
  const Trace both = compute(together);
  const std::string name = both.has("scores") ? "" : "Q";
  double worst = 0;
  for (std::size_t i = 0; i < batch; ++i) {
    LessonInput alone = together;
    for (const char* per_sentence : {"X", "memory", "labels", "mask_given"})
      if (alone.has(per_sentence) && alone.given[per_sentence].shape[0] == batch)
        replace(alone, per_sentence, sentence(together.given[per_sentence], i));
    const Trace one = compute(alone);
    worst = std::max(worst, relative_difference(name.empty() ? attended(one) : one[name],
                                                sentence(name.empty() ? attended(both) : both[name], i)));
  }
  return at_most(worst, rounding);
}

} // namespace

std::vector<Property> mixture_properties() {
  return {{"convex", convex},
          {"values_mixed", values_mixed},
          {"query_alone", query_alone},
          {"order_free", order_free},
          {"batches_apart", batches_apart}};
}

} // namespace tfx
