// A logit taken apart, rightly and wrongly: the lesson's numbers and each mistake's are NumPy's
// (data/reference/lens.npz), each mistake is noticed by a property, and each property notices one.

#include "judge/property_lists.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/run.hpp"
#include "property_outcome.hpp"
#include "support/mistake_reference.hpp"

#include <set>

using namespace tfx;

namespace {

const Lesson& lens_lesson() {
  return find_lesson("lens");
}

/// Of the lens NumPy's file has two columns: the token and the one that it is compared with.
Tensor as_in_file(const Trace& t, const std::string& name) {
  if (name != "lens") return t[name];
  Tensor both({t["lens"].shape[0], 2});
  const std::size_t V = t["lens"].shape[1];
  for (std::size_t i = 0; i < both.shape[0]; ++i)
    for (std::size_t k = 0; k < 2; ++k)
      both.at({i, k}) =
          t["lens"].data[i * V + static_cast<std::size_t>(t[k == 0 ? "token" : "against"].data[0])];
  return both;
}

} // namespace

TEST_CASE("the translator's logit, its terms and the lens are NumPy's, and a mistake's numbers too",
          "[judge][mistakes][lens]") {
  const Trace right = lens_lesson().run(resolve_input({}, lens_lesson()));
  const std::string path = std::string(TFX_SOURCE_DIR) + "/data/reference/lens.npz";
  std::set<std::string> compared;
  for (const NamedArray& array : read_npz(read_file(path), path)) {
    INFO(array.name);
    if (!array.name.starts_with("lens.")) {
      CHECK(relative_difference(as_in_file(right, array.name), array.array.values) <= 1e-12);
      continue;
    }
    const std::size_t end = array.name.find('.', std::string("lens.").size());
    const Mistake* mistake = find_mistake(array.name.substr(0, end));
    REQUIRE(mistake);
    const WrongRun made = run_wrong(right, {mistake});
    CHECK_FALSE(made.made.empty());
    const std::string tensor = array.name.substr(end + 1);
    CHECK(std::ranges::count(made.changed, tensor) == 1);
    CHECK(relative_difference(as_in_file(made.trace, tensor), array.array.values) <= 1e-12);
    compared.insert(mistake->id);
  }
  for (const Mistake& mistake : mistakes())
    if (mistake.folder == lens_lesson().folder) {
      INFO(mistake.id);
      CHECK(compared.contains(mistake.id));
    }
}

TEST_CASE("every property of a logit taken apart holds of the right one, and notices a wrong one",
          "[judge][mistakes][lens]") {
  std::set<std::string> noticing;
  std::vector<LessonInput> inputs;
  for (const auto& [model, text] : {std::pair("en-zh", "click the red cell"),
                                    {"reverse", "star"},
                                    {"numbers-zh", "seven"},
                                    {"microgpt", "emma"}}) {
    InputOptions options;
    options.model = model, options.text = text;
    inputs.push_back(resolve_input(options, lens_lesson()));
  }
  for (const LessonInput& input : inputs)
    for (const Property& property : properties()) {
      INFO(property.id);
      CHECK_FALSE(missed(property, lens_lesson(), input, {}));
    }
  for (const Mistake& mistake : mistakes()) {
    if (mistake.folder != lens_lesson().folder) continue;
    INFO(mistake.id);
    bool noticed = false;
    for (const Property& property : lens_properties())
      if (missed(property, lens_lesson(), inputs[0], {&mistake}))
        noticed = true, noticing.insert(property.id);
    CHECK(noticed);
  }
  for (const Property& property : lens_properties()) {
    INFO(property.id);
    CHECK(noticing.contains(property.id));
  }
}
