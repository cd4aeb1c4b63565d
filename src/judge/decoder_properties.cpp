// Properties of a decoder alone, whatever its numbers: what reaches which row, and what each part of it does.

#include "core/tensor.hpp"
#include "judge/probe.hpp"
#include "judge/property_lists.hpp"
#include "lessons/gpt/gpt.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>

namespace tfx {

namespace {

using arma::mat;

constexpr double noticed = 1e-6; // what moves less is rounding

const std::string tokens_table = "tgt_embed.0.lut.weight", places_table = "tgt_embed.1.weight";

bool is_of_norm(const Step& step) {
  return step.name.find("norm") != std::string::npos;
}

/// Whether nothing but norms stands beside the matrices: tables of places, no biases, keys and values for
/// each head.
bool is_plain(const LessonInput& input) {
  const std::string first = "decoder.layers.0.self_attn.linears.";
  return input.given.find(places_table) &&
         std::ranges::none_of(input.given.steps,
                              [](const Step& step) { return step.name.ends_with(".bias"); }) &&
         input.given[first + "0.weight"].shape == input.given[first + "1.weight"].shape;
}

double vocabulary_of(const LessonInput& input) {
  return static_cast<double>(input.given[tokens_table].shape[0]);
}

/// The learner's decoder on these tokens, or on those of its vocabulary that stand in their place.
LessonInput own_reading(const LessonInput& like, std::vector<double> ids) {
  for (double& id : ids) id = std::fmod(id, vocabulary_of(like));
  return reading_of(like, std::move(ids));
}

LessonInput six_tokens(const LessonInput& like) {
  return own_reading(like, {0, 3, 1, 4, 1, 5});
}

// What the norms have learned left aside: gains of 1, shifts of 0.
LessonInput with_bare_norms(LessonInput input) {
  for (const Step& step : std::deque<Step>(input.given.steps))
    if (is_of_norm(step)) {
      const bool is_shift = step.name.ends_with("b_2");
      replace(input, step.name,
              Tensor(step.value.shape, std::vector<double>(step.value.size(), is_shift ? 0 : 1)));
    }
  return input;
}

mat answers_of(const Trace& t) {
  return matrix(t["log_probs"]);
}

// Another last token moves its own row and no earlier one.
std::optional<Measured> begun_in_order(const Lesson&, const LessonInput& input, const Computation& compute) {
  const mat before = answers_of(compute(six_tokens(input))),
            after = answers_of(
                compute(own_reading(input, {0, 3, 1, 4, 1, std::fmod(5, vocabulary_of(input)) + 1})));
  if (absolute_difference(mat(before.row(5)), mat(after.row(5))) <= noticed) return Measured{false, 1};
  return at_most(absolute_difference(mat(before.head_rows(5)), mat(after.head_rows(5))), 0);
}

// Queries and keys that are the normed vectors themselves: the scores of a token with itself, over all heads,
// are its d_model squares, which sum to d_model; divided by √d_k.
std::optional<Measured> scores_measured(const Lesson&, const LessonInput& input, const Computation& compute) {
  if (!is_plain(input)) return {};
  LessonInput own = with_bare_norms(six_tokens(input));
  const std::string place = "decoder.layers.0.self_attn.";
  const Tensor& W = own.given[place + "linears.0.weight"];
  const std::size_t d = W.shape[1], h = input.heads;
  if (W.shape[0] != d || own.given[place + "linears.1.weight"].shape != W.shape) return {};
  Tensor same(W.shape);
  for (std::size_t i = 0; i < d; ++i) same.at({i, i}) = 1;
  replace(own, place + "linears.0.weight", same), replace(own, place + "linears.1.weight", same);
  for (const std::string& table : {tokens_table, places_table})
    replace(own, table, times(own.given[table], 1e3));
  const Trace t = compute(own);
  const Tensor& scaled = t[place + "scaled"];
  const std::size_t n = scaled.shape.back();
  double off = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < h; ++k) sum += scaled.data[(k * n + i) * n + i];
    const double wanted = static_cast<double>(d) / std::sqrt(static_cast<double>(d / h));
    off = std::max(off, std::abs(sum - wanted));
  }
  return at_most(off, 1e-4); // ε of the norm
}

// Vectors that are twice as long are read alike: the norms see to it.
std::optional<Measured> length_unread(const Lesson&, const LessonInput& input, const Computation& compute) {
  if (!is_plain(input) || std::ranges::any_of(input.given.steps, is_of_norm)) return {};
  LessonInput once = six_tokens(input), twice = once;
  for (const std::string& table : {tokens_table, places_table}) {
    replace(once, table, times(input.given[table], 1e4));
    replace(twice, table, times(input.given[table], 2e4));
  }
  return at_most(absolute_difference(answers_of(compute(once)), answers_of(compute(twice))), 1e-6);
}

// One token at several places comes to the layers as several vectors.
std::optional<Measured> begun_places_apart(const Lesson&, const LessonInput& input,
                                           const Computation& compute) {
  const mat X = matrix(compute(own_reading(input, {3, 3, 3}))["tgt_embed"]);
  double nearest = 1;
  for (std::size_t i = 1; i < X.n_rows; ++i)
    nearest = std::min(nearest, absolute_difference(mat(X.row(i)), mat(X.row(i - 1))));
  return at_least(nearest, 1e-3);
}

// Where no sublayer adds anything, what comes in goes out.
std::optional<Measured> stream_kept(const Lesson&, const LessonInput& input, const Computation& compute) {
  if (!is_plain(input) || std::ranges::any_of(input.given.steps, is_of_norm)) return {};
  LessonInput own = six_tokens(input);
  for (const Step& step : input.given.steps)
    if (step.name.find(".linears.3.") != std::string::npos || step.name.find(".w_2.") != std::string::npos)
      replace(own, step.name, Tensor(step.value.shape));
  const Trace t = compute(own);
  return at_most(absolute_difference(mat(matrix(t["decoder.output"])), mat(matrix(t["tgt_embed"]))), 1e-12);
}

// A row of a weight makes a column of the result: without row 0 there is nothing in column 0.
std::optional<Measured> rows_make_columns(const Lesson&, const LessonInput& input,
                                          const Computation& compute) {
  if (!is_plain(input)) return {};
  double most = 0;
  for (const char* part : {"linears.0", "linears.1", "linears.2"}) {
    LessonInput own = six_tokens(input);
    const std::string name = std::string("decoder.layers.0.self_attn.") + part;
    Tensor W = own.given[name + ".weight"];
    std::fill_n(W.data.begin(), W.shape[1], 0.0);
    replace(own, name + ".weight", std::move(W));
    const mat result = matrix(compute(own)[name]);
    most = std::max(most, arma::abs(result.col(0)).max());
  }
  return at_most(most, 0);
}

// A head has rows of W_Q of its own: without those of head 0 it asks nothing and looks at all alike, and the
// others look where they did.
std::optional<Measured> queries_own_head(const Lesson&, const LessonInput& input,
                                         const Computation& compute) {
  if (!is_plain(input) || input.heads < 2) return {};
  const std::string place = "decoder.layers.0.self_attn.";
  LessonInput own = six_tokens(input);
  const Tensor before = compute(own)[place + "weights"];
  Tensor W = own.given[place + "linears.0.weight"];
  std::fill_n(W.data.begin(), W.size() / input.heads, 0.0);
  replace(own, place + "linears.0.weight", std::move(W));
  const Tensor after = compute(own)[place + "weights"];
  const std::size_t n = after.shape.back();
  double off = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const std::size_t row = i / n % n, column = i % n;
    const double even = column <= row ? 1 / static_cast<double>(row + 1) : 0;
    off = std::max(off, std::abs(after.data[i] - (i < n * n ? even : before.data[i])));
  }
  return at_most(off, 1e-9);
}

// The feed-forward bends: the first matrix negated does not give the opposite.
std::optional<Measured> hidden_bent(const Lesson&, const LessonInput& input, const Computation& compute) {
  const std::string name = "decoder.layers.0.feed_forward.";
  LessonInput own = six_tokens(input), negated = own;
  replace(negated, name + "w_1.weight", times(own.given[name + "w_1.weight"], -1));
  const mat a = matrix(compute(own)[name + "output"]), b = matrix(compute(negated)[name + "output"]);
  return at_least(arma::abs(a + b).max(), noticed);
}

// Another label moves the loss.
std::optional<Measured> labels_asked(const Lesson&, const LessonInput& input, const Computation& compute) {
  const LessonInput own = six_tokens(input);
  LessonInput other = own;
  Tensor labels = own.given["labels"];
  labels.data[0] = std::fmod(labels.data[0] + 1, vocabulary_of(input));
  replace(other, "labels", std::move(labels));
  return at_least(std::abs(compute(own)["loss"].data[0] - compute(other)["loss"].data[0]), 1e-9);
}

// A row whose next token nobody knows does not count.
std::optional<Measured> unknown_uncounted(const Lesson&, const LessonInput& input,
                                          const Computation& compute) {
  const LessonInput longer = own_reading(input, {0, 3, 1, 4});
  LessonInput shorter = own_reading(input, {0, 3, 1});
  replace(shorter, "labels", Tensor({3}, {3, 1, 4}));
  if (vocabulary_of(input) <= 4) return {};
  return at_most(std::abs(compute(longer)["loss"].data[0] - compute(shorter)["loss"].data[0]), 1e-12);
}

} // namespace

std::vector<Property> decoder_properties() {
  std::vector<Property> list =
      only(takes<Input::begun, Input::repeated>, {{"begun_in_order", begun_in_order},
                                                  {"scores_measured", scores_measured},
                                                  {"begun_places_apart", begun_places_apart},
                                                  {"rows_make_columns", rows_make_columns},
                                                  {"queries_own_head", queries_own_head}});
  std::ranges::move(only(takes<Input::begun>, {{"length_unread", length_unread},
                                               {"stream_kept", stream_kept},
                                               {"hidden_bent", hidden_bent},
                                               {"labels_asked", labels_asked},
                                               {"unknown_uncounted", unknown_uncounted}}),
                    std::back_inserter(list));
  return list;
}

} // namespace tfx
