// A logit taken apart, rightly and wrongly: the lesson's numbers and each mistake's are NumPy's
// (data/reference/lens.npz), each mistake is noticed by a property, and each property notices one.

#include "judge/property_lists.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/run.hpp"
#include "property_outcome.hpp"
#include "support/mistake_reference.hpp"

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
  CHECK(compare_run_with_numpy(lens_lesson(), right, "lens.npz", as_in_file) == mistakes_of(lens_lesson()));
}

TEST_CASE("every property of a logit taken apart holds of the right one, and notices a wrong one",
          "[judge][mistakes][lens]") {
  std::vector<LessonInput> inputs;
  for (const auto& [model, text] : {std::pair("en-zh", "click the red cell"),
                                    {"reverse", "star"},
                                    {"numbers-zh", "seven"},
                                    {"microgpt", "emma"}}) {
    InputOptions options;
    options.model = model, options.text = text;
    inputs.push_back(resolve_input(options, lens_lesson()));
  }
  CHECK(check_properties(lens_lesson(), inputs, lens_properties()) == ids_of(lens_properties()));
}
