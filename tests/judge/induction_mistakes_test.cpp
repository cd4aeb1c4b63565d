// What repeats itself, rightly and wrongly: the lesson's numbers and each mistake's are NumPy's
// (data/reference/induction.npz), each mistake is noticed by a property, and each property notices one.

#include "judge/property_lists.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/induction/induction.hpp"
#include "lessons/run.hpp"
#include "property_outcome.hpp"
#include "support/mistake_reference.hpp"

#include <set>

using namespace tfx;

namespace {

const Lesson& induction_lesson() {
  return find_lesson("induction");
}

std::vector<NamedArray> numpys() {
  const std::string path = std::string(TFX_SOURCE_DIR) + "/data/reference/induction.npz";
  return read_npz(read_file(path), path);
}

} // namespace

TEST_CASE("what repeats itself is gone on with as NumPy does it, and a mistake's numbers too",
          "[judge][mistakes][induction]") {
  const auto compared = compare_run_with_numpy(
      induction_lesson(), induction_lesson().run(resolve_input({}, induction_lesson())), "induction.npz",
      [](const Trace& t, const std::string& name) { return t[name]; },
      [](const std::string& name) { return name.starts_with("held."); });
  CHECK(compared == mistakes_of(induction_lesson()));
}

TEST_CASE("as many repeated tokens are right in each shipped model as NumPy counts", "[judge][induction]") {
  std::map<std::string, Tensor> held;
  for (const NamedArray& array : numpys())
    if (array.name.starts_with("held.")) held.emplace(array.name.substr(5), array.array.values);
  const Tensor& rows = held.at("rows");
  const std::size_t length = rows.shape[1];
  for (const std::string name : {"induction", "fixed-period", "one-layer", "two-heads"})
    for (std::size_t i = 0; i < rows.shape[0]; ++i) {
      INFO(name << ", row " << i);
      const auto row = rows.data.begin() + static_cast<std::ptrdiff_t>(i * length);
      const TokenIds ids(row, row + static_cast<std::ptrdiff_t>(length));
      std::size_t period = length / 4, right = 0;
      while (ids[period] != ids[0]) ++period;
      const Batch none, read = ragged_batch({TokenIds(ids.begin(), ids.end() - 1)});
      const arma::mat log_probs = forward(grown_model(name), {none, read});
      for (std::size_t j = period; j + 1 < length; ++j) right += log_probs.col(j).index_max() == ids[j + 1];
      CHECK(static_cast<double>(right) == held.at(name).data[i]);
    }
}

TEST_CASE("every property of what repeats itself holds of the right run, and notices a wrong one",
          "[judge][mistakes][induction]") {
  std::vector<LessonInput> inputs;
  for (const char* text : {"the cat sees my old dog the cat sees", "a rose is a rose is a rose", "a b"}) {
    InputOptions options;
    options.text = text;
    inputs.push_back(resolve_input(options, induction_lesson()));
  }
  CHECK(check_properties(induction_lesson(), inputs, repeated_properties(), {"mask.diagonal"}) ==
        ids_of(repeated_properties()));
}

TEST_CASE("the trap is a model whose period alone is right: nothing but other periods tells",
          "[judge][mistakes][induction]") {
  const LessonInput input = resolve_input({}, induction_lesson());
  const Mistake* trap = find_mistake("induction.fixed_period");
  REQUIRE(trap);
  std::set<std::string> noticing;
  for (const Property& property : properties())
    if (missed(property, induction_lesson(), input, {trap})) noticing.insert(property.id);
  CHECK(noticing.contains("followed_at_every_period"));
  // It is a right model of attention alone.
  for (const char* blind : {"own_place_seen", "begun_in_order", "begun_places_apart"})
    CHECK_FALSE(noticing.contains(blind));
}
