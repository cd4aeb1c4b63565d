// The whole model wired wrongly: each mistake gives NumPy's numbers (data/reference/model_mistakes.npz), each
// is noticed by a property, and each property notices one.

#include "input/model_input.hpp"
#include "judge/property_lists.hpp"
#include "lessons/run.hpp"
#include "model/model_spec.hpp"
#include "model/weights.hpp"
#include "parity/model_page.hpp"
#include "property_outcome.hpp"
#include "support/mistake_reference.hpp"

#include <algorithm>

using namespace tfx;

namespace {

const Lesson& model_lesson() {
  return find_lesson("model");
}

LessonInput model_input(std::uint32_t seed) {
  InputOptions options;
  options.seed = seed, options.norm_first = seed % 2 == 0;
  options.norm = seed % 3 ? Norm::annotated : Norm::layer;
  return resolve_input(options, model_lesson());
}

} // namespace

TEST_CASE("a wrong model's numbers are NumPy's", "[judge][mistakes]") {
  const std::set<std::string> compared =
      compare_with_numpy("model_mistakes.npz", [](const std::string& run, LessonInput input) {
        input.heads = 2, input.norm_first = run == "first";
        return model_lesson().run(input);
      });
  for (const Mistake& mistake : mistakes())
    if (mistake.folder == model_lesson().folder) {
      INFO(mistake.id);
      CHECK(compared.contains(mistake.id));
    }
  CHECK(compared.size() == 14);
}

TEST_CASE("the model of break and check is the one that tfx model draws", "[judge]") {
  ModelSpec spec = preset("toy");
  spec.norm.rule = Norm::annotated, spec.norm.placement = NormPlacement::pre_norm;
  Transformer<double> model(spec);
  initialize(model, WeightInit::xavier_uniform, 42);
  const LessonInput input = resolve_input({}, model_lesson());
  const ModelPage page =
      page_of(model, padded_batch({{1, 2, 3, 4, 0, 0}}, 0), padded_batch({{5, 4, 3, 2, 1, 0}}, 0), 0);
  for (const auto& [name, value] : page.parameters) {
    INFO(name);
    REQUIRE(input.has(name));
    CHECK(input.given[name].shape == value.shape);
    CHECK(relative_difference(input.given[name], value) <= 1e-15);
  }
  CHECK(input.given.steps.size() == page.parameters.size() + 2);
  CHECK(relative_difference(model_lesson().run(input)["log_probs"], run_model_page(page)["log_probs"]) <=
        1e-14);
}

TEST_CASE("every property of the model holds of the right one, and notices a wrong one",
          "[judge][mistakes]") {
  std::set<std::string> noticing;
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const LessonInput input = model_input(seed);
    for (const Property& property : properties()) {
      INFO(seed << ": " << property.id);
      CHECK_FALSE(missed(property, model_lesson(), input, {}));
    }
  }
  for (std::uint32_t seed = 0; seed < 2; ++seed) {
    const LessonInput input = model_input(seed);
    for (const Mistake& mistake : mistakes()) {
      if (mistake.folder != model_lesson().folder) continue;
      INFO(mistake.id << " " << seed);
      bool noticed = false;
      for (const Property& property : model_properties())
        if (missed(property, model_lesson(), input, {&mistake})) noticed = true, noticing.insert(property.id);
      CHECK(noticed);
    }
  }
  for (const Property& property : model_properties()) {
    INFO(property.id);
    CHECK(noticing.contains(property.id));
  }
}
