// Properties of masks: what may not be seen does not matter, what may be seen does.

#include "judge/attention_properties.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <limits>

namespace tfx {

namespace {

std::size_t length(const LessonInput& input, const std::string& name) {
  return input.given[name].shape[0];
}

// Under a causal mask, another last token: the rows before it stay as they are.
std::optional<Measured> future_unseen(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!masks_itself(lesson)) return {};
  const LessonInput before = causal_probe(lesson);
  const std::size_t last = length(before, "X") - 1;
  LessonInput after = before;
  replace(after, "X", with_other_row(before.given["X"], last));
  const Trace a = compute(before), b = compute(after);
  double moved = 0;
  for (std::size_t i = 0; i < last; ++i) moved = std::max(moved, row_moved(attended(b), attended(a), i));
  return at_most(moved, rounding);
}

// How many weights are not above 0 of those from the `nearest` to the `farthest` key back from a query's own
// place, under a causal mask.
Measured without_weight(std::size_t nearest, std::size_t farthest, const Lesson& lesson,
                        const Computation& compute) {
  const Trace t = compute(causal_probe(lesson));
  const Tensor& W = t["weights"];
  double missing = 0;
  for (std::size_t k = 0; k < matrix_count(W); ++k) {
    const arma::mat w = matrix(W, k);
    for (std::size_t i = 0; i < w.n_rows; ++i)
      for (std::size_t back = nearest; back <= std::min(i, farthest); ++back)
        missing += i - back < w.n_cols && w(i, i - back) > 0 ? 0 : 1;
  }
  return at_most(missing, 0);
}

std::optional<Measured> past_seen(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!lesson.masks()) return {};
  return without_weight(1, std::numeric_limits<std::size_t>::max(), lesson, compute);
}

std::optional<Measured> self_seen(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!lesson.masks()) return {};
  return without_weight(0, 0, lesson, compute);
}

// Another content of the padding: no row moves but the padding's own.
std::optional<Measured> padding_unseen(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!lesson.masks()) return {};
  const LessonInput before = padded_probe(lesson);
  const std::string source = keys_source(lesson);
  const std::size_t last = length(before, source) - 1;
  LessonInput after = before;
  replace(after, source, with_other_row(before.given[source], last));
  const Trace a = compute(before), b = compute(after);
  double moved = 0;
  for (std::size_t i = 0; i < length(before, "X"); ++i)
    if (source != "X" || i != last) moved = std::max(moved, row_moved(attended(b), attended(a), i));
  return at_most(moved, rounding);
}

Tensor first_tokens(const Tensor& A, std::size_t n) {
  Shape shape = A.shape;
  shape[0] = n;
  const auto end = static_cast<std::ptrdiff_t>(element_count(shape));
  return {std::move(shape), {A.data.begin(), A.data.begin() + end}};
}

// Row t of one causal pass is the last row of a pass over the first t tokens.
std::optional<Measured> prefix(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!masks_itself(lesson)) return {};
  const LessonInput whole = causal_probe(lesson);
  const Trace all = compute(whole);
  if (!all.has("output")) return {};
  const Tensor& rows = attended(all);
  double worst = 0;
  for (std::size_t n = 1; n < length(whole, "X"); ++n) {
    LessonInput start = whole;
    for (const char* name : {"X", "labels"})
      if (whole.has(name)) replace(start, name, first_tokens(whole.given[name], n));
    const Trace t = compute(start);
    if (attended(t).shape.back() != rows.shape.back()) return at_most(1, 0);
    worst = std::max(worst, relative_difference(arma::mat(matrix(attended(t)).row(n - 1)),
                                                arma::mat(matrix(rows).row(n - 1))));
  }
  return at_most(worst, rounding);
}

// A query that may see nothing gives nothing a weight.
std::optional<Measured> blocked_row_zero(const Lesson& lesson, const LessonInput&,
                                         const Computation& compute) {
  if (!lesson.masks()) return {};
  LessonInput input = probe(lesson);
  const std::size_t n_q = length(input, "X"), n_k = length(input, keys_source(lesson));
  Tensor mask({n_q, n_k}, std::vector<double>(n_q * n_k, 1));
  for (std::size_t j = 0; j < n_k; ++j) mask.at({1, j}) = 0;
  replace(input, "mask_given", std::move(mask));
  const Tensor W = compute(input)["weights"];
  return at_most(row_moved(W, Tensor(W.shape), 1), 0);
}

} // namespace

std::vector<Property> mask_properties() {
  return {
      {"future_unseen", future_unseen},   {"past_seen", past_seen}, {"self_seen", self_seen},
      {"padding_unseen", padding_unseen}, {"prefix", prefix},       {"blocked_row_zero", blocked_row_zero}};
}

} // namespace tfx
