// Lesson lens: what each layer would say, and a logit as an exact sum. Source: nostalgebraist 2020,
// "interpreting GPT: the logit lens"; Elhage et al. 2021, "A Mathematical Framework for Transformer
// Circuits".

#include "core/tensor.hpp"
#include "lessons/lens/lens.hpp"
#include "page/layer_formulas.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"

#include <cmath>

namespace tfx {

namespace {

// The sums beside the logits that the model computed.
void check_sums(Trace& t) {
  const Tensor& logits = t["logits"];
  const std::size_t V = logits.shape.back(), row = asked_number(t, "place") * V;
  const double logit = logits.data[row + asked_number(t, "token")];
  t.check_at_most("sum_is_logit", relative_difference(matrix(t["logit"]), arma::mat{logit}), rounding);
  if (!t.has("against")) return;
  const double difference = logit - logits.data[row + asked_number(t, "against")];
  t.check_at_most("sum_is_difference",
                  relative_difference(matrix(t["difference.logit"]), arma::mat{difference}), rounding);
}

// The last depth is the model's own answer.
void check_last_depth(Trace& t) {
  const arma::mat lens = matrix(t["lens"]),
                  answer = arma::exp(arma::mat(matrix(t["log_probs"])).row(asked_number(t, "place")));
  t.check_at_most("lens_ends", absolute_difference(arma::mat(lens.tail_rows(1)), answer), rounding);
}

// The page's formula has a norm with a mean and a gain, in front of the sublayers.
void check_formula(Trace& t) {
  if (!t.has("centred") || !t.has("gained") || !t.has("parts")) return;
  const arma::rowvec direction =
      page::direction(arma::rowvec(t["asked"].data), arma::rowvec(t["decoder.norm.a_2"].data),
                      t["decoder.norm.divisor"].data[asked_number(t, "place")]);
  t.check_at_most("formula",
                  relative_difference(arma::mat(matrix(t["read"])),
                                      arma::mat(page::logit_terms(matrix(t["parts"]), direction))),
                  rounding);
}

} // namespace

Trace run_lens(const LessonInput& input) {
  Trace t = begin_trace("lens", input, "terms");
  t.steps = input.given.steps;
  AskedLogit asked{asked_number(t, "place"), static_cast<std::uint32_t>(asked_number(t, "token")), {}};
  if (t.has("against")) asked.against = static_cast<std::uint32_t>(asked_number(t, "against"));
  const ModelSpec& spec = *input.decoder;
  const LogitTerms terms = add_logit_terms(t, spec, asked);
  add_logit_lens(t, spec);
  show_depths(t);
  show_terms(t, terms);
  const bool is_layer_norm = terms.norms_held == 1 && spec.norm.rule != Norm::rms && t.has("gained");
  t.facts[is_layer_norm ? "direction" : "asked_row"] =
      std::string(is_layer_norm ? "direction" : "asked"); // a step of the run
  show_changes(t, input.given, input);
  check_sums(t);
  check_last_depth(t);
  check_formula(t);
  return t;
}

} // namespace tfx
