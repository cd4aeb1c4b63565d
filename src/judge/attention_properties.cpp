#include "judge/property_lists.hpp"

#include "core/tensor.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

#include <algorithm>

namespace tfx {

// Shapes: what a learner checks first, and what most mistakes get right.

namespace {

std::size_t rows(const Shape& shape) {
  return shape[shape.size() - 2];
}

// X n×d, W d×m: n×m.
bool projections_fit(const Trace& t) {
  for (const std::string letter : {"Q", "K", "V"})
    if (const Step* step = t.find(letter); step && step->operation.is(op::matmul)) {
      const Shape& X = t[step->operation.inputs[0]].shape;
      if (rows(step->value.shape) != rows(X) || step->value.shape.back() != t["W_" + letter].shape.back())
        return false;
    }
  return true;
}

// (…, n, h·d) in h parts: (…, h, n, d).
bool heads_fit(const Trace& t) {
  for (const std::string letter : {"Q", "K", "V"})
    if (t.has(letter + "_heads")) {
      const Shape &whole = t[letter].shape, &split = t[letter + "_heads"].shape;
      if (split.size() != whole.size() + 1 || rows(split) != rows(whole) ||
          split.back() * split[split.size() - 3] != whole.back())
        return false;
    }
  if (!t.has("concat")) return true;
  const Shape& concat = t["concat"].shape;
  return concat.size() == t["heads"].shape.size() - 1 && rows(concat) == rows(t["Q"].shape) &&
         concat.back() == t["V"].shape.back();
}

// A row a query, a column a key.
bool weights_fit(const Trace& t, const std::string& Q, const std::string& K) {
  for (const char* name : {"scores", "scaled", "masked", "weights"})
    if (t.has(name)) {
      const Shape& shape = t[name].shape;
      if (shape.size() < 2 || rows(shape) != rows(t[Q].shape) || shape.back() != rows(t[K].shape))
        return false;
    }
  return true;
}

// Rows from the queries, width from the values.
bool output_fits(const Trace& t, const std::string& Q, const std::string& V) {
  const std::string output = t.has("heads") ? "heads" : "output";
  if (!t.has(output) || !t.has(V)) return true;
  return rows(t[output].shape) == rows(t[Q].shape) && t[output].shape.back() == t[V].shape.back();
}

std::optional<Measured> shapes(const Lesson&, const LessonInput& input, const Computation& compute) {
  const Trace t = compute(input);
  if (!t.has("Q") || !t.has("K")) return {};
  const std::string Q = per_head(t, "Q"), K = per_head(t, "K"), V = per_head(t, "V");
  const bool fit = projections_fit(t) && heads_fit(t) && weights_fit(t, Q, K) && output_fits(t, Q, V);
  return Measured{fit, fit ? 0.0 : 1.0};
}

} // namespace

std::vector<Property> shape_properties() {
  return {{"shapes", shapes}};
}

// Properties of Q, K and V: which numbers they are made of.

namespace {

const std::vector<std::string> letters = {"Q", "K", "V"};

// What the lesson projects to Q, K or V: a block with the norm first projects the norm's output.
std::string projected(const Lesson& lesson, const Trace& t, const std::string& letter) {
  if (lesson.takes(Input::memory) && letter != "Q") return "memory";
  return t.has("norm_1") ? "norm_1" : "X";
}

// With a single 1 at (a, b) in W, column b of X·W is column a of X, and all others are 0.
std::optional<Measured> weight_cell(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput input = probe(lesson);
  const arma::uword a = 1, b = 2;
  for (const std::string& letter : letters) {
    Tensor W(input.given["W_" + letter].shape);
    W.at({a, b}) = 1;
    replace(input, "W_" + letter, std::move(W));
  }
  const Trace t = compute(input);
  double worst = 0;
  for (const std::string& letter : letters) {
    if (!t.has(letter)) continue;
    arma::mat expected(arma::size(matrix(t[letter])), arma::fill::zeros);
    const arma::mat X = matrix(t[projected(lesson, t, letter)]);
    if (expected.n_rows != X.n_rows) return at_most(1, 0);
    expected.col(b) = X.col(a);
    worst = std::max(worst, relative_difference(matrix(t[letter]), expected));
  }
  return at_most(worst, rounding);
}

// Another W_Q moves Q alone, another W_K K alone, another W_V V alone.
std::optional<Measured> own_weights(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const LessonInput before = probe(lesson);
  const Trace a = compute(before);
  double wrong = 0;
  for (const std::string& changed : letters) {
    LessonInput after = before;
    replace(after, "W_" + changed, noise(before.given["W_" + changed].shape));
    const Trace b = compute(after);
    for (const std::string& letter : letters)
      if (a.has(letter))
        wrong += (relative_difference(a[letter], b[letter]) > rounding) != (letter == changed);
  }
  return at_most(wrong, 0);
}

// b_Q is added to every row of Q, b_K to K, b_V to V.
std::optional<Measured> bias_added(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const LessonInput before = probe(lesson);
  LessonInput after = before;
  for (const std::string& letter : letters)
    replace(after, "b_" + letter, noise({before.given["W_" + letter].shape.back()}));
  const Trace a = compute(before), b = compute(after);
  double worst = 0;
  for (const std::string& letter : letters) {
    if (!a.has(letter)) continue;
    Tensor expected = a[letter];
    const Tensor& bias = after.given["b_" + letter];
    for (std::size_t i = 0; i < expected.size(); ++i) expected.data[i] += bias.data[i % bias.size()];
    worst = std::max(worst, relative_difference(b[letter], expected));
  }
  return at_most(worst, rounding);
}

// What moves Q, K and V when `source` is another: those that should, and no other.
std::optional<Measured> moves_only(const std::string& source, const std::vector<std::string>& moved,
                                   const Lesson& lesson, const Computation& compute) {
  const LessonInput before = probe(lesson);
  LessonInput after = before;
  replace(after, source, noise(before.given[source].shape));
  const Trace a = compute(before), b = compute(after);
  double wrong = 0;
  for (const std::string& letter : letters)
    wrong +=
        (relative_difference(a[letter], b[letter]) > rounding) != (std::ranges::count(moved, letter) > 0);
  return at_most(wrong, 0);
}

std::optional<Measured> decoder_asks(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  return moves_only("X", {"Q"}, lesson, compute);
}

std::optional<Measured> encoder_answers(const Lesson& lesson, const LessonInput&,
                                        const Computation& compute) {
  return moves_only("memory", {"K", "V"}, lesson, compute);
}

} // namespace

std::vector<Property> projection_properties() {
  return only(projects, {{"weight_cell", weight_cell},
                         {"own_weights", own_weights},
                         {"bias_added", bias_added},
                         {"decoder_asks", decoder_asks, takes<Input::memory>},
                         {"encoder_answers", encoder_answers, takes<Input::memory>}});
}

// Properties of the output: who moves it, and how far.

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

// Queries, keys and values apart from each other.
LessonInput apart(const Lesson& lesson) {
  LessonInput input = probe(lesson);
  for (const std::string letter : {"Q", "K", "V"})
    if (!lesson.takes(Input::memory))
      replace(input, lesson.takes(Input::QKV) ? letter : "X_" + letter,
              noise(input.given["X"].shape, static_cast<std::uint32_t>(letter[0])));
  return input;
}

// Another query moves its own row and no other.
std::optional<Measured> query_alone(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const LessonInput before = apart(lesson);
  LessonInput after = before;
  const std::string queries = before.has("Q") ? "Q" : before.has("X_Q") ? "X_Q" : "X";
  replace(after, queries, with_other_row(before.given[queries], 1));
  const Trace a = compute(before), b = compute(after);
  if (!a.has("scores")) return {};
  double others = 0;
  for (std::size_t i = 0; i < before.given[queries].shape[0]; ++i)
    if (i != 1) others = std::max(others, row_moved(attended(b), attended(a), i));
  if (row_moved(attended(b), attended(a), 1) <= rounding) others = 1; // nobody asked
  return at_most(others, rounding);
}

Tensor reversed(const Tensor& A) {
  return for_each_matrix(A, [](const mat& M) { return mat(arma::reverse(M)); });
}

// Queries that are all alike, keys that are not: another token moves its column of the scores and no other.
std::optional<Measured> key_alone(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  LessonInput own = probe(lesson), other = own;
  for (LessonInput* one : {&own, &other}) {
    replace(*one, "W_Q", Tensor(own.given["W_Q"].shape));
    replace(*one, "b_Q", noise({own.given["W_Q"].shape[1]}));
  }
  constexpr std::size_t token = 2;
  replace(other, "X", with_other_row(own.given["X"], token));
  mat moved = arma::abs(matrix(compute(other)["scores"]) - matrix(compute(own)["scores"]));
  if (moved.n_rows < token + 1 || moved.col(token).min() <= rounding) return Measured{false, 1};
  moved.col(token).zeros();
  return at_most(moved.max(), rounding);
}

// Tokens in another order: the same outputs in that order. The memory in another order: the same outputs.
std::optional<Measured> order_free(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const LessonInput before = probe(lesson);
  const Trace a = compute(before);
  if (!a.has("scores")) return {};
  LessonInput after = before;
  replace(after, keys_source(lesson), reversed(before.given[keys_source(lesson)]));
  const Trace b = compute(after);
  if (lesson.takes(Input::memory)) return at_most(relative_difference(attended(b), attended(a)), rounding);
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
  constexpr std::size_t batch = 2;
  LessonInput together = probe(lesson, {.heads = batch, .batch = batch});
  if (lesson.masks()) {
    const std::size_t n = together.given["X"].shape[1], n_k = together.given[keys_source(lesson)].shape[1];
    Tensor mask(Shape{batch, n, n_k}, std::vector<double>(batch * n * n_k, 1));
    for (std::size_t i = 0; i < n; ++i) mask.at({0, i, n_k - 1}) = mask.at({1, i, 0}) = 0;
    if (lesson.takes(Input::heads)) mask.shape.insert(mask.shape.begin() + 1, 1);
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
          {"values_mixed", values_mixed, projects},
          {"query_alone", query_alone, takes<Input::QKV, Input::X_QKV, Input::memory>},
          {"key_alone", key_alone,
           [](const Lesson& lesson) { return lesson.takes(Input::rotary) && projects(lesson); }},
          {"order_free", order_free,
           [](const Lesson& lesson) { return projects(lesson) && !lesson.takes(Input::rotary); }},
          {"batches_apart", batches_apart, projects}};
}

// Properties of heads: each has its own columns, from the weights to what is put side by side.

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
  const LessonInput before = probe(lesson);
  LessonInput after = before;
  replace(after, "W_O", times(before.given["W_O"], 2));
  const Trace a = compute(before), b = compute(after);
  return at_most(relative_difference(attended(b), times(attended(a), 2)), rounding);
}

} // namespace

std::vector<Property> head_properties() {
  return only(
      takes<Input::heads>,
      {{"heads_apart", heads_apart}, {"head_columns", head_columns}, {"output_projected", output_projected}});
}

} // namespace tfx
