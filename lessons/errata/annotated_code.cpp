// The errata of annotated that are about how its classes fit together: what each parameter is given, and
// which shapes meet then.

#include "input/draws.hpp"
#include "lessons/errata/page_data.hpp"
#include "lessons/errata/pages.hpp"

#include <algorithm>

namespace tfx::errata {

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
