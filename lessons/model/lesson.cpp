// Lesson model on a learner's terms: the whole model on two padded sentences, small enough to print. What
// `tfx model` shows of a trained model, on the page. Source: annotated, EncoderDecoder.

#include "input/lesson_input.hpp"
#include "lessons/model/page.hpp"
#include "trace/checks.hpp"

#include <algorithm>

namespace tfx {

Trace run_whole_model(const LessonInput& input) {
  ModelPage page;
  page.src = input.given["src"], page.tgt = input.given["tgt"];
  ModelSpec& spec = page.spec;
  spec.heads = input.heads, spec.norm.rule = input.norm, spec.layers = 0;
  if (!input.norm_first) spec.norm.placement = NormPlacement::post_norm;
  for (const Step& step : input.given.steps) {
    if (step.name == "src" || step.name == "tgt") continue;
    page.parameters.emplace(step.name, step.value);
    spec.layers += step.name.starts_with("encoder.layers.") && step.name.ends_with(".w_1.bias");
  }
  return run_model_page(std::move(page));
}

} // namespace tfx
