// Properties of the whole model: who reaches whom, that every part of it is there, and that its counted
// parameters and products are what a built model holds and does.

#include "core/tensor.hpp"
#include "input/model_input.hpp"
#include "judge/probe.hpp"
#include "judge/property_lists.hpp"
#include "trace/checks.hpp"
#include "trace/cost.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

// Properties of the whole model: who reaches whom, and that every part of it is there.

namespace {

using arma::mat;

constexpr double seen = 1e-6; // what moves less is rounding

/// The learner's kind of model with sentences that are not padded.
LessonInput sentences(const LessonInput& like, std::vector<double> src, std::vector<double> tgt) {
  LessonInput input = like;
  const Shape of_src{src.size()}, of_tgt{tgt.size()};
  replace(input, "src", Tensor(of_src, std::move(src)));
  replace(input, "tgt", Tensor(of_tgt, std::move(tgt)));
  return input;
}

LessonInput unpadded(const LessonInput& like) {
  return sentences(like, {1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1});
}

LessonInput with_token(LessonInput input, const std::string& side, std::size_t place) {
  Tensor ids = input.given[side];
  ids.data[place] = ids.data[place] == 9 ? 8 : 9;
  replace(input, side, std::move(ids));
  return input;
}

mat log_probs(const Trace& t) {
  return matrix(t["log_probs"]);
}

double row_moved(const mat& a, const mat& b, std::size_t i) {
  return absolute_difference(mat(a.row(i)), mat(b.row(i)));
}

// Another last token of the target moves its own row and no earlier one.
std::optional<Measured> target_in_order(const Lesson&, const LessonInput& input, const Computation& compute) {
  const LessonInput own = unpadded(input);
  const mat before = log_probs(compute(own)), after = log_probs(compute(with_token(own, "tgt", 5)));
  if (row_moved(before, after, 5) <= seen) return Measured{false, 1};
  double moved = 0;
  for (std::size_t i = 0; i < 5; ++i) moved = std::max(moved, row_moved(before, after, i));
  return at_most(moved, 0);
}

// Another token anywhere in the source moves every row of the answer.
std::optional<Measured> source_read(const Lesson&, const LessonInput& input, const Computation& compute) {
  const LessonInput own = unpadded(input);
  const mat before = log_probs(compute(own));
  double least = 1;
  for (const std::size_t place : {0, 5}) {
    const mat after = log_probs(compute(with_token(own, "src", place)));
    for (std::size_t i = 0; i < before.n_rows; ++i) least = std::min(least, row_moved(before, after, i));
  }
  return at_least(least, seen);
}

// The last token of the source reaches the first row of the memory: with padding behind it, a mask is there
// to be wrong.
std::optional<Measured> source_both_ways(const Lesson&, const LessonInput& input,
                                         const Computation& compute) {
  const LessonInput own = sentences(input, {1, 2, 3, 4, 5, 0}, {6, 5, 4, 3, 2, 1});
  const mat before = matrix(compute(own)["memory"]),
            after = matrix(compute(with_token(own, "src", 4))["memory"]);
  return at_least(row_moved(before, after, 0), seen);
}

// One more token of padding behind the source changes nothing of the answer.
std::optional<Measured> source_padding_unseen(const Lesson&, const LessonInput& input,
                                              const Computation& compute) {
  const LessonInput one = sentences(input, {1, 2, 3, 4, 5, 0}, {6, 5, 4, 3, 2, 1}),
                    two = sentences(input, {1, 2, 3, 4, 5, 0, 0}, {6, 5, 4, 3, 2, 1});
  return at_most(absolute_difference(log_probs(compute(one)), log_probs(compute(two))), 1e-12);
}

// Every parameter moves the answer, but for the biases of the keys, which no softmax notices, and the rows of
// the tables that are not read.
std::optional<Measured> parameters_used(const Lesson&, const LessonInput& input, const Computation& compute) {
  const LessonInput own = unpadded(input);
  const mat before = log_probs(compute(own));
  double idle = 0;
  for (const Step& step : own.given.steps) {
    if (step.role != Role::parameter || step.name.ends_with("linears.1.bias")) continue;
    LessonInput other = own;
    Tensor value = noise(step.value.shape);
    for (std::size_t i = 0; i < value.size(); ++i) value.data[i] = step.value.data[i] + 0.3 * value.data[i];
    replace(other, step.name, std::move(value));
    idle += absolute_difference(log_probs(compute(other)), before) <= seen;
  }
  return Measured{idle == 0, idle};
}

// A token that neither sentence has does not matter, whatever its vectors are.
std::optional<Measured> other_tokens_idle(const Lesson&, const LessonInput& input,
                                          const Computation& compute) {
  const LessonInput own = unpadded(input);
  LessonInput other = own;
  for (const char* table : {"src_embed.0.lut.weight", "tgt_embed.0.lut.weight"})
    replace(other, table, with_other_row(own.given[table], 10));
  return at_most(absolute_difference(log_probs(compute(own)), log_probs(compute(other))), 0);
}

// With a last norm of the encoder that gives the same to every token, no token of the source matters.
std::optional<Measured> memory_normed(const Lesson&, const LessonInput& input, const Computation& compute) {
  LessonInput own = unpadded(input);
  replace(own, "encoder.norm.a_2", Tensor(own.given["encoder.norm.a_2"].shape));
  replace(own, "encoder.norm.b_2", noise(own.given["encoder.norm.b_2"].shape));
  const mat before = log_probs(compute(own)), after = log_probs(compute(with_token(own, "src", 2)));
  return at_most(absolute_difference(before, after), 1e-12);
}

// A token whose row in the table has length 1 comes out √d_model long.
std::optional<Measured> tokens_scaled(const Lesson&, const LessonInput& input, const Computation& compute) {
  LessonInput own = unpadded(input);
  for (const char* table : {"src_embed.0.lut.weight", "tgt_embed.0.lut.weight"})
    replace(own, table, to_tensor(mat(arma::normalise(matrix(own.given[table]), 2, 1))));
  const Trace t = compute(own);
  double off = 0;
  for (const char* scaled : {"src_embed.scaled", "tgt_embed.scaled"}) {
    const mat X = matrix(t[scaled]);
    for (std::size_t i = 0; i < X.n_rows; ++i)
      off = std::max(off, std::abs(arma::norm(X.row(i)) - std::sqrt(static_cast<double>(X.n_cols))));
  }
  return at_most(off, 1e-9);
}

// One token at several places comes to the layers as several vectors, on both sides.
std::optional<Measured> places_told_apart(const Lesson&, const LessonInput& input,
                                          const Computation& compute) {
  const Trace t = compute(sentences(input, {3, 3, 3}, {4, 4, 4}));
  double nearest = 1;
  for (const char* side : {"src_embed", "tgt_embed"}) {
    const mat X = matrix(t[side]);
    for (std::size_t i = 1; i < X.n_rows; ++i)
      nearest = std::min(nearest, absolute_difference(mat(X.row(i)), mat(X.row(i - 1))));
  }
  return at_least(nearest, 1e-3);
}

// Where no sublayer adds anything, a token of the target still reaches its own row.
std::optional<Measured> residual_kept(const Lesson&, const LessonInput& input, const Computation& compute) {
  LessonInput own = unpadded(input);
  for (const Step& step : input.given.steps)
    if (step.name.find(".linears.3.") != std::string::npos || step.name.find(".w_2.") != std::string::npos)
      replace(own, step.name, Tensor(step.value.shape));
  const mat before = log_probs(compute(own)), after = log_probs(compute(with_token(own, "tgt", 5)));
  return at_least(row_moved(before, after, 5), seen);
}

} // namespace

std::vector<Property> model_properties() {
  return only(takes<Input::sentences>, {{"target_in_order", target_in_order},
                                        {"source_read", source_read},
                                        {"source_both_ways", source_both_ways},
                                        {"source_padding_unseen", source_padding_unseen},
                                        {"parameters_used", parameters_used},
                                        {"other_tokens_idle", other_tokens_idle},
                                        {"memory_normed", memory_normed},
                                        {"tokens_scaled", tokens_scaled},
                                        {"places_told_apart", places_told_apart},
                                        {"residual_kept", residual_kept}});
}

// Properties of counted parameters and products: a model of those sizes is built and run, and what it holds
// and does is counted one by one.

namespace {

constexpr std::size_t tokens_read = 5;

InputOptions widths(std::size_t heads) {
  InputOptions options;
  options.d_model = 6, options.d_ff = 10, options.heads = heads;
  return options;
}

// The sizes of the model that is drawn of the same widths: two layers a side, eleven tokens.
LessonInput sizes(const Lesson& lesson, std::size_t heads = 3, std::size_t n = tokens_read) {
  InputOptions options = widths(heads);
  options.layers = 2, options.vocab = 11, options.seq = n;
  return resolve_input(options, lesson);
}

LessonInput built() {
  LessonInput model = resolve_input(widths(3), *lesson_named("model"));
  for (const char* side : {"src", "tgt"}) replace(model, side, Tensor({tokens_read}, {1, 2, 3, 4, 5}));
  return model;
}

double number(const Trace& t, const char* name) {
  return t[name].data[0];
}

std::optional<Measured> counted_one_by_one(const Lesson& lesson, const LessonInput&,
                                           const Computation& compute) {
  std::size_t held = 0;
  for (const Step& step : built().given.steps)
    if (step.role == Role::parameter) held += step.value.size();
  return at_most(std::abs(number(compute(sizes(lesson)), "total") - static_cast<double>(held)), 0);
}

// Multiply-adds and FLOP of the products in a forward pass, each as its operation counts itself.
Work recorded_products() {
  const Trace run = lesson_named("model")->run(built());
  Work work;
  for (const Step& step : run.steps) {
    const Cost cost = cost_of(run, step);
    if (cost.macs == 0) continue;
    const bool has_bias = step.operation.inputs.size() == 3;
    work.macs += cost.macs, work.flops += cost.flops - (has_bias ? step.value.size() : 0);
  }
  return work;
}

std::optional<Measured> counted_while_running(const Lesson& lesson, const LessonInput&,
                                              const Computation& compute) {
  const double recorded = static_cast<double>(recorded_products().macs);
  return at_most(
      std::abs(static_cast<double>(tokens_read) * number(compute(sizes(lesson)), "macs") - recorded), 0);
}

std::optional<Measured> two_a_product(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const Work work = recorded_products();
  const Trace t = compute(sizes(lesson));
  return at_most(std::abs(number(t, "flops") / number(t, "macs") -
                          static_cast<double>(work.flops) / static_cast<double>(work.macs)),
                 0);
}

// Heads are columns of the same matrices.
std::optional<Measured> heads_cost_nothing(const Lesson& lesson, const LessonInput&,
                                           const Computation& compute) {
  const Trace few = compute(sizes(lesson, 1)), many = compute(sizes(lesson, 6));
  return at_most(std::max(std::abs(number(few, "total") - number(many, "total")),
                          std::abs(number(few, "macs") - number(many, "macs"))),
                 0);
}

// Each key more takes as much again: neither nothing nor more and more.
std::optional<Measured> keys_add_up(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  const auto macs = [&](std::size_t n) { return number(compute(sizes(lesson, 3, n)), "macs"); };
  const double first = macs(2) - macs(1), second = macs(4) - macs(2);
  return Measured{first > 0 && second == 2 * first, second - 2 * first};
}

// A training step of one weight matrix, and what it keeps of that shape.
std::optional<Measured> kept_in_training(const Lesson& lesson, const LessonInput&,
                                         const Computation& compute) {
  const Lesson& train = *lesson_named("train");
  const Trace step = train.run(resolve_input({}, train));
  double kept = 0;
  for (const char* name : {"W_Q", "dW_Q", "m_W_Q", "v_W_Q"}) kept += step.has(name);
  const Trace t = compute(sizes(lesson));
  return at_most(std::abs(number(t, "training_bytes") / number(t, "weight_bytes") - kept), 0);
}

} // namespace

std::vector<Property> count_properties() {
  return only(takes<Input::sizes>, {{"counted_one_by_one", counted_one_by_one},
                                    {"heads_cost_nothing", heads_cost_nothing},
                                    {"counted_while_running", counted_while_running},
                                    {"keys_add_up", keys_add_up},
                                    {"two_a_product", two_a_product},
                                    {"kept_in_training", kept_in_training}});
}

} // namespace tfx
