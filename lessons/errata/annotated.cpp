// The errata of annotated: what it says about attention, the layer and the counts, and how its classes fit
// together.

#include "architecture/blueprint.hpp"
#include "architecture/presets.hpp"
#include "input/draws.hpp"
#include "lessons/block/view.hpp"
#include "lessons/errata/erratum.hpp"
#include "lessons/errata/page_data.hpp"
#include "trace/checks.hpp"

#include <algorithm>

namespace tfx::errata {

// The errata of annotated that are about attention, the layer and the counts.

using arma::mat;
using arma::rowvec;
using arma::uword;

namespace {

const LessonInput& attention_run() {
  static const LessonInput run = run_of("annotated:1");
  return run;
}

// How much of a lies along b must not depend on how long b is.
Findings projection() {
  const mat X = given(attention_run(), "X");
  const rowvec a = X.row(0), b = X.row(1);
  const auto along = [&](const rowvec& direction) { return arma::dot(a, direction) / arma::norm(direction); };
  Findings f;
  const double page = arma::dot(a, 2 * b) / arma::dot(a, b), instead = along(2 * b) / along(b);
  f.measure("along_b", arma::dot(a, b), along(b));
  f.measure("along_2b", arma::dot(a, 2 * b), along(2 * b));
  f.facts["length"] = arma::norm(b);
  f.verdict(page, instead, [](double ratio) { return std::abs(ratio - 1) < rounding; });
  return f;
}

// Sums by hand, with a loop for each index.
mat mixed_by_hand(const mat& weights, const mat& values) {
  mat output(weights.n_rows, values.n_cols, arma::fill::zeros);
  for (uword i = 0; i < weights.n_rows; ++i)
    for (uword j = 0; j < weights.n_cols; ++j)
      for (uword c = 0; c < values.n_cols; ++c) output(i, c) += weights(i, j) * values(j, c);
  return output;
}

Findings k_is_v() {
  const mat Q = projected(attention_run(), "Q"), K = projected(attention_run(), "K"),
            V = projected(attention_run(), "V");
  const mat right = mixed_by_hand(page::attention(Q, K, V).weights, V);
  const double page = absolute_difference(page::attention(Q, K, K).output, right),
               instead = absolute_difference(page::attention(Q, K, V).output, right);
  Findings f;
  f.measure("output_off", page, instead);
  f.facts["apart"] = absolute_difference(K, V);
  f.verdict(page, instead, [](double off) { return off < 1e-10; }); // sums of 512 products
  return f;
}

Findings a13() {
  const mat Q = projected(attention_run(), "Q"), K = projected(attention_run(), "K");
  const double cell = page::scores(Q, K)(0, 2);
  const double page = arma::dot(Q.row(2), K.row(2)), instead = arma::dot(Q.row(0), K.row(2));
  Findings f;
  f.measure("product_of_rows", page, instead);
  f.facts["cell"] = cell;
  f.verdict(page, instead,
            [&](double value) { return std::abs(value - cell) < rounding * std::max(1.0, std::abs(cell)); });
  return f;
}

// The last word is padding: whether what stands there reaches the others.
Findings source_mask() {
  const LessonInput run = run_of("annotated:3");
  const page::Layer layer = layer_of(run);
  const mat X = given(run, "X");
  mat other = X;
  other.tail_rows(1) *= -1; // what a norm does not undo
  const auto moved = [&](const mat& mask) {
    return absolute_difference(page::encoder_layer_norm_first(X, layer, mask).head_rows(3),
                               page::encoder_layer_norm_first(other, layer, mask).head_rows(3));
  };
  const double page = moved(mat(4, 4, arma::fill::ones)), instead = moved(page::padding_mask(4, 4, 1));
  Findings f;
  f.measure("memory_moves", page, instead);
  f.verdict(page, instead, [](double distance) { return distance == 0; });
  return f;
}

double deviation_off(const mat& output) {
  return arma::abs(arma::stddev(output, 0, 1) - 1).max();
}

Findings pre_norm() {
  const LessonInput run = run_of("annotated:3");
  const page::Layer layer = layer_of(run);
  const mat X = given(run, "X"), all(4, 4, arma::fill::ones);
  const double page = deviation_off(page::encoder_layer_norm_first(X, layer, all)),
               instead = deviation_off(page::encoder_layer_norm_last(X, layer, all));
  Findings f;
  f.measure("deviation_off", page, instead);
  f.verdict(page, instead, [](double off) { return off < 1e-5; }); // ε beside the deviation
  return f;
}

Findings layer_norm() {
  const mat X = given(run_of("annotated:3"), "X");
  const rowvec gamma(X.n_cols, arma::fill::ones), beta(X.n_cols, arma::fill::zeros);
  const mat page = page::layer_norm(X, gamma, beta, Norm::annotated).output,
            instead = page::layer_norm(X, gamma, beta, Norm::layer).output;
  const auto deviation = [](const mat& output) { return arma::stddev(rowvec(output.row(0)), 1); };
  Findings f;
  f.measure("population_deviation", deviation(page), deviation(instead));
  f.facts["apart"] = absolute_difference(page, instead);
  f.facts["factor"] = std::sqrt((count(X.n_cols) - 1) / count(X.n_cols));
  f.verdict(deviation(page), deviation(instead),
            [](double spread) { return std::abs(spread - 1) < 1e-4; }); // ε = 1e-5 in the root
  return f;
}

// Whether view works, by trying every place of the wanted shape: the step along an axis must always be the
// same.
bool walks_evenly(const View& view, const Shape& wanted) {
  const auto place = [&](const Index& index) {
    const Index there = index_of(view.shape, offset_of(wanted, index));
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < there.size(); ++axis) at += there[axis] * view.strides[axis];
    return at;
  };
  Shape steps(wanted.size());
  for (std::size_t axis = 0; axis < wanted.size(); ++axis) {
    Index one(wanted.size(), 0);
    if (wanted[axis] > 1) one[axis] = 1, steps[axis] = place(one);
  }
  for (std::size_t cell = 0; cell < element_count(wanted); ++cell) {
    const Index index = index_of(wanted, cell);
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) at += index[axis] * steps[axis];
    if (at != place(index)) return false;
  }
  return true;
}

Findings view_strides() {
  const View words = View::contiguous({2, 5, 8});
  const View heads = View::contiguous({2, 5, 2, 4}).transposed(1, 2);
  const std::vector<std::pair<View, Shape>> calls = {
      {words, {10, 8}},                                       // two axes joined
      {words, {2, 5, 2, 4}},                                  // heads split off
      {heads, {2, 5, 8}},                                     // heads joined without contiguous
      {heads, {2, 2, 5, 2, 2}},                               // a transposed tensor's last axis cut in two
      {words.first(2, 4), {2, 5, 2, 2}},                      // some columns, their axis cut in two
      {words.first(2, 4), {10, 4}},                           // some columns, the axes before them joined
      {words.first(2, 4), {2, 20}},                           // some columns joined with the words
      {View::contiguous({4, 6}).transposed(0, 1), {2, 3, 4}}, // X.t(), its first axis cut in two
  };
  double page = 0, instead = 0, allowed = 0;
  for (const auto& [view, wanted] : calls) {
    const bool works = walks_evenly(view, wanted);
    allowed += works && !view.is_contiguous();
    page += view.is_contiguous() != works;
    instead += view.viewed(wanted).has_value() != works;
  }
  Findings f;
  f.measure("wrong_predictions", page, instead);
  f.facts["calls"] = count(calls.size());
  f.facts["allowed"] = allowed;
  f.verdict(page, instead, [](double wrong) { return wrong == 0; });
  return f;
}

// FLOP are multiplications and additions. What a hook on modules counts, and what is done.
Findings thop() {
  using namespace params;
  const Totals resnet = totals(blueprint(find_preset("resnet18")->shape));
  const Module transformer = blueprint(find_preset("annotated")->shape);
  const double hook = resnet.hook.estimate(), flops = resnet.flops().estimate();
  Findings f;
  f.measure("resnet_flops", hook / 1e9, flops / 1e9);
  f.measure("attention_products", 0.0, macs_of(transformer, LayerOperationKind::matmul).estimate());
  f.facts["multiply_adds"] = resnet.macs.estimate() / 1e9;
  const Totals sum = totals(transformer);
  f.facts["missed"] = 100 * (sum.macs.estimate() - sum.seen.estimate()) / sum.macs.estimate();
  f.verdict(hook, flops, [&](double said) { return said >= 2 * resnet.macs.estimate(); });
  return f;
}

// The program that the page's host put below it hands (batch, words, d) to layers that take (words, batch,
// d): whom does a word attend to?
Findings batch_first() {
  const mat X = given(attention_run(), "X"); // one sentence of five words
  mat other = X;
  other.tail_rows(1) *= -1;
  const auto attended = [](const mat& M) {
    const auto of = [&](const char* name) { return page::project(M, given(attention_run(), name)); };
    return page::attention(of("W_Q"), of("W_K"), of("W_V")).output;
  };
  const auto each_alone = [&](const mat& M) { // a batch of five sentences of one word
    mat output = M;
    for (uword i = 0; i < M.n_rows; ++i) output.row(i) = attended(M.row(i));
    return output;
  };
  const auto moved = [&](const auto& form) {
    return absolute_difference(form(X).head_rows(4), form(other).head_rows(4));
  };
  const double page = moved(each_alone), instead = moved(attended);
  Findings f;
  f.measure("others_move", page, instead);
  f.facts["words"] = count(X.n_rows);
  f.verdict(page, instead, [](double distance) { return distance > 0; });
  return f;
}

} // namespace

std::vector<Erratum> of_annotated() {
  return {{"projection", "annotated", projection},     {"k_is_v", "annotated", k_is_v},
          {"source_mask", "annotated", source_mask},   {"pre_norm", "annotated", pre_norm},
          {"layer_norm", "annotated", layer_norm},     {"a13", "annotated", a13},
          {"view_strides", "annotated", view_strides}, {"thop", "annotated", thop},
          {"batch_first", "annotated", batch_first}};
}

// The errata of annotated that are about how its classes fit together: what each parameter is given, and
// which shapes meet then.

using arma::mat;

namespace {

using Names = std::vector<std::string>;

// Positional arguments: which value each parameter is given.
std::string bound(const Names& parameters, const Names& values) {
  std::string text;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    text += (i ? ", " : "") + parameters[i] + " ← " + values[i];
  return text;
}

const std::string& value_of(const std::string& parameter, const Names& parameters, const Names& values) {
  return values[static_cast<std::size_t>(std::ranges::find(parameters, parameter) - parameters.begin())];
}

// One sentence of 5 words to be translated, 4 words written, at the page's width.
Shape shape_of(const std::string& value) {
  if (value == "src_mask") return {1, 1, 5};
  if (value == "tgt_mask") return {1, 4, 4};
  return value == "memory" ? Shape{1, 5, 512} : Shape{1, 4, 512};
}

bool is_shape(const std::string& text) {
  return text.find("≠") == std::string::npos;
}

// memory·W_K, where EncoderDecoder.forward has called decode.
Findings decode_arguments() {
  const Names parameters{"src_mask", "memory", "tgt", "tgt_mask"};
  const auto keys = [&](const Names& values) {
    return shape_or_refusal(shape_of(value_of("memory", parameters, values)), {512, 512}, product_shape);
  };
  const Names page{"memory", "src_mask", "tgt", "tgt_mask"};
  Findings f;
  f.measure("memory_is", value_of("memory", parameters, page), value_of("memory", parameters, parameters));
  f.measure("keys_shape", keys(page), keys(parameters));
  f.facts["bound"] = bound(parameters, page);
  f.verdict(keys(page), keys(parameters), is_shape);
  return f;
}

// The first norm of a decoder layer, gamma ⊙ (x − mean), where decode has called the decoder.
Findings decoder_arguments() {
  const Names parameters{"src_mask", "memory", "x", "tgt_mask"};
  const auto normed = [&](const Names& values) {
    return shape_or_refusal({512}, shape_of(value_of("x", parameters, values)), elementwise_shape);
  };
  const Names page{"tgt", "memory", "src_mask", "tgt_mask"}, instead{"src_mask", "memory", "tgt", "tgt_mask"};
  Findings f;
  f.measure("x_is", value_of("x", parameters, page), value_of("x", parameters, instead));
  f.measure("norm_shape", normed(page), normed(instead));
  f.facts["bound"] = bound(parameters, page);
  f.verdict(normed(page), normed(instead), is_shape);
  return f;
}

Findings encoder_layer_order() {
  const Names page{"size", "dropout_rate", "self_attn", "feed_forward"},
      instead{"size", "self_attn", "feed_forward", "dropout_rate"};
  const Names values{"512", "attn", "ff", "0.1"};
  const Names wanted{"512", "0.1", "attn", "ff"}; // in the page's order of parameters
  const auto misplaced = [&](const Names& parameters) {
    double wrong = 0;
    for (std::size_t i = 0; i < page.size(); ++i) wrong += value_of(page[i], parameters, values) != wanted[i];
    return wrong;
  };
  Findings f;
  f.measure("misplaced", misplaced(page), misplaced(instead));
  f.facts["bound"] = bound(page, values);
  f.verdict(misplaced(page), misplaced(instead), [](double wrong) { return wrong == 0; });
  return f;
}

// make_model(dropout=0): the rate that the attention has.
Findings dropout_argument() {
  const LessonInput run = run_of("annotated:1");
  const mat weights = heads_of(run, mat(5, 5, arma::fill::ones))[0].weights;
  const auto dropped = [&](double rate) {
    Draws draws(42);
    const mat kept = page::dropout(weights, matrix(draws.keep("keep", rate, {5, 5})), rate);
    return mat(arma::abs(arma::sum(kept, 1) - 1)).max();
  };
  constexpr double by_default = 0.1, asked = 0;
  Findings f;
  f.measure("dropout_rate", by_default, asked);
  f.measure("row_sum_off", dropped(by_default), dropped(asked));
  f.verdict(dropped(by_default), dropped(asked), [](double off) { return off < 1e-12; });
  return f;
}

// What the missing class has to do.
Findings generator() {
  const LessonInput run = run_of("annotated:3");
  Draws draws(42);
  const mat logits = given(run, "X") * matrix(draws.weight("W", 8, 11, Init::xavier_uniform));
  Findings f;
  f.facts["row_sum"] = arma::accu(arma::exp(page::log_softmax(logits).row(0)));
  f.facts["vocabulary"] = count(logits.n_cols);
  return f;
}

} // namespace

std::vector<Erratum> of_annotated_code() {
  return {{"decode_arguments", "annotated", decode_arguments},
          {"decoder_arguments", "annotated", decoder_arguments},
          {"encoder_layer_order", "annotated", encoder_layer_order},
          {"dropout_argument", "annotated", dropout_argument},
          {"generator", "annotated", generator},
          {"input_names", "annotated", read_only},
          {"missing_colon", "annotated", read_only},
          {"super_call", "annotated", read_only},
          {"torch_names", "annotated", read_only}};
}

} // namespace tfx::errata
