// A decoder alone got wrong: each mistake gives NumPy's numbers (data/reference/gpt_mistakes.npz), each is
// noticed by a property, and each property notices one.

#include "judge/property_lists.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint.hpp"
#include "model/shipped.hpp"
#include "property_outcome.hpp"
#include "support/mistake_reference.hpp"

#include <set>

using namespace tfx;

namespace {

const Lesson& gpt_lesson() {
  return find_lesson("gpt");
}

LessonInput begun_with(const std::string& text) {
  InputOptions options;
  options.text = text;
  return resolve_input(options, gpt_lesson());
}

} // namespace

TEST_CASE("a wrong decoder's numbers are NumPy's", "[judge][mistakes][gpt]") {
  const std::set<std::string> compared =
      compare_with_numpy("gpt_mistakes.npz", [](const std::string&, LessonInput input) {
        input.heads = 4;
        input.decoder = std::make_shared<const ModelSpec>(spec_in(shipped_model("microgpt")));
        for (Step& step : input.given.steps)
          if (step.name.ends_with(".weight")) step.role = Role::parameter;
        return gpt_lesson().run(input);
      });
  for (const Mistake& mistake : mistakes())
    if (mistake.folder == gpt_lesson().folder) {
      INFO(mistake.id);
      CHECK(compared.contains(mistake.id));
    }
  CHECK(compared.size() == 13);
}

TEST_CASE("every property of a decoder holds of the right one, and notices a wrong one",
          "[judge][mistakes][gpt]") {
  std::vector<LessonInput> inputs{begun_with("emma"), begun_with("k"), begun_with("")};
  InputOptions first_step;
  first_step.tutorial = "microgpt";
  inputs.push_back(resolve_input(first_step, gpt_lesson()));
  CHECK(check_properties(gpt_lesson(), inputs, decoder_properties()) == ids_of(decoder_properties()));
}
