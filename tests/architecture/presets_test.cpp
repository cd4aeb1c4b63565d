// One preset is one model, wherever its name is typed.

#include "architecture/blueprint.hpp"
#include "architecture/presets.hpp"
#include "bench/work.hpp"
#include "model/checkpoint.hpp"
#include "model/counts.hpp"
#include "model/model_spec.hpp"
#include "model/shipped.hpp"
#include "support/catch.hpp"
#include "train/trainer.hpp"

#include <algorithm>

using namespace tfx;

namespace {

std::uint64_t counted_parameters(const std::string& name, std::size_t src_vocab, std::size_t tgt_vocab) {
  const params::Preset* const found = params::find_preset(name);
  REQUIRE(found);
  params::ModelShape shape = found->shape;
  shape.src_vocab = src_vocab, shape.tgt_vocab = tgt_vocab;
  return params::totals(params::blueprint(shape)).parameters.value();
}

} // namespace

TEST_CASE("the engine's model of a preset has the parameters that are counted of it", "[architecture]") {
  // By hand: N·(12·d² + 24·d + 4·d·f + 2·f) + 4·d for the stacks, 3·11·d + 11 for the words.
  const std::pair<const char*, std::size_t> by_hand[] = {
      {"toy", 4'403},       {"tiny", 235'851},         {"small", 366'491},
      {"base", 14'731'787}, {"copy-task", 14'731'787}, {"annotated", 44'157'451}};
  std::vector<std::string> names;
  for (const auto& [name, parameters] : by_hand) {
    INFO(name);
    names.emplace_back(name);
    ModelSpec spec = preset(name);
    CHECK(count_parameters(Transformer<ShapesOnly>(spec)) == parameters);
    CHECK(counted_parameters(name, spec.src_vocab, spec.tgt_vocab) == parameters);
    CHECK(params::find_preset(name)->shape.src_vocab == spec.src_vocab); // where nobody says otherwise
    CHECK(params::find_preset(name)->shape.tgt_vocab == spec.tgt_vocab);
    spec.src_vocab = 29, spec.tgt_vocab = 31;
    CHECK(count_parameters(Transformer<ShapesOnly>(spec)) == counted_parameters(name, 29, 31));
  }
  CHECK(preset_names() == names);
}

TEST_CASE(
    "a training's preset is the preset, and the copy task has the vocabulary that presets are shown with",
    "[architecture]") {
  for (const std::string& name : training_preset_names()) {
    if (!std::ranges::count(preset_names(), name)) continue; // one that goes on with a text
    INFO(name);
    for (const char* task : {"copy", "reverse", "numbers-zh"})
      CHECK(training_config_for(task, name).model.sizes() == architecture_of(name));
    const TrainingState state = start_training(training_config_for("copy", name), make_task("copy")->facts());
    CHECK(count_parameters(state.model) == count_parameters(Transformer<ShapesOnly>(preset(name))));
  }
}

TEST_CASE("what is timed has the presets' sizes", "[architecture]") {
  const std::pair<const char*, const char*> timed[] = {{"B11", "annotated"},
                                                       {"B10k", "annotated"},
                                                       {"C", "copy-task"},
                                                       {"D11", "annotated"},
                                                       {"D10k", "annotated"}};
  for (const auto& [work, name] : timed) {
    INFO(work);
    const auto& shape = std::get<bench::TransformerShape>(bench::find_preset(work)->shape);
    CHECK(shape.spec.sizes() == architecture_of(name));
    const bool large = std::string(work).ends_with("10k");
    CHECK(shape.spec.src_vocab == (large ? 10'000 : 11));
    CHECK(shape.spec.tgt_vocab == (large ? 10'000 : 11));
  }
}

TEST_CASE("the shipped models are still of preset small", "[architecture]") {
  REQUIRE(shipped_models() == std::vector<std::string>{"numbers-zh", "reverse", "en-zh"});
  for (const char* name : {"numbers-zh", "reverse"}) // the translator is wider
    CHECK(load_model<float>(shipped_model(name)).spec.sizes() == architecture_of("small"));
}
