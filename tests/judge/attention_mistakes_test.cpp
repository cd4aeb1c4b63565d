// Every mistake in attention is noticed by a property, and every property of attention notices a mistake.

#include "judge/property_lists.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/run.hpp"
#include "property_outcome.hpp"
#include "support/catch.hpp"
#include "support/lesson_cases.hpp"
#include "support/mistake_reference.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

using namespace tfx;

namespace {

std::vector<Property> of_attention() {
  std::vector<Property> all;
  for (const auto& some : {shape_properties, projection_properties, weight_properties, mixture_properties,
                           mask_properties, head_properties, block_attention_properties})
    std::ranges::move(some(), std::back_inserter(all));
  return all;
}

// The others bring inputs of their own.
const std::set<std::string> on_the_given_input = {"shapes", "rows_sum_to_one", "weights_not_negative",
                                                  "convex"};

// Every lesson's own input, the tutorials', and every third of the learners'.
struct RightCase {
  std::string name;
  const Lesson* lesson;
  LessonInput input;
  Trace right;
};

std::vector<RightCase> all_cases(const TemporaryFolder& folder) {
  std::vector<LessonCase> described;
  for (const Lesson& lesson : page_lessons()) described.push_back({lesson.command, &lesson, {}});
  std::ranges::move(tutorial_cases(), std::back_inserter(described));
  const std::vector<LessonCase> own = own_cases(folder);
  for (std::size_t i = 0; i < own.size(); i += 3) described.push_back(own[i]);
  std::vector<RightCase> cases;
  for (const LessonCase& one : described) {
    LessonInput input = resolve_input(one.options, *one.lesson);
    Trace right = one.lesson->run(input);
    cases.push_back({one.name, one.lesson, std::move(input), std::move(right)});
  }
  return cases;
}

// The lessons whose result the mistake changes on some input, each with that input.
std::map<const Lesson*, const LessonInput*> changed_by(const Mistake& mistake,
                                                       const std::vector<RightCase>& cases) {
  std::map<const Lesson*, const LessonInput*> changed;
  for (const RightCase& one : cases) {
    if (changed.contains(one.lesson)) continue;
    const WrongRun run = run_wrong(one.right, {&mistake});
    if (run.stops || !run.changed.empty()) changed.emplace(one.lesson, &one.input);
  }
  return changed;
}

} // namespace

TEST_CASE("every property of attention holds of the right computation", "[judge][mistakes]") {
  const TemporaryFolder folder;
  const std::vector<RightCase> cases = all_cases(folder);
  CHECK(cases.size() >= 100);
  std::set<const Lesson*> seen;
  for (const RightCase& one : cases) {
    const bool first = seen.insert(one.lesson).second;
    for (const Property& property : of_attention()) {
      INFO(one.name << ": " << property.id);
      if (on_the_given_input.contains(property.id)) {
        const auto measured =
            property.measure(*one.lesson, one.input, [&](const LessonInput&) { return one.right; });
        CHECK((!measured || measured->holds));
      } else if (first) {
        const Outcome found = outcome(property, *one.lesson, one.input, {});
        CHECK((found == Outcome::holds || found == Outcome::silent));
      }
    }
  }
}

TEST_CASE("every mistake in attention is noticed wherever it changes something",
          "[judge][mistakes][repeats]") {
  const TemporaryFolder folder;
  const std::vector<RightCase> cases = all_cases(folder);
  std::set<std::string> noticing;
  for (const Mistake& mistake : mistakes()) {
    if (!is_about_attention(mistake)) continue;
    const auto changed = changed_by(mistake, cases);
    INFO(mistake.id);
    CHECK_FALSE(changed.empty());
    for (const auto& [lesson, input] : changed) {
      INFO(lesson->command);
      bool noticed = false;
      std::vector<Property> asked = of_attention();
      if (lesson->takes(Input::cache)) std::ranges::move(decoding_properties(), std::back_inserter(asked));
      if (takes<Input::begun, Input::repeated>(*lesson))
        std::ranges::move(decoder_properties(), std::back_inserter(asked));
      if (lesson->takes(Input::repeated)) std::ranges::move(repeated_properties(), std::back_inserter(asked));
      if (lesson->takes(Input::answer)) { // first: each of the others would run a whole model
        const std::vector<Property> of_lens = lens_properties();
        asked.insert(asked.begin(), of_lens.begin(), of_lens.end());
      }
      for (const Property& property : asked) {
        const bool costly = lesson->number > lesson_named("cross")->number; // gradients, whole layers
        if (noticed && (costly || noticing.contains(property.id))) continue;
        const Outcome found = outcome(property, *lesson, *input, {&mistake});
        noticed = noticed || found == Outcome::missed || found == Outcome::stopped;
        if (found == Outcome::missed) noticing.insert(property.id);
      }
      CHECK(noticed);
    }
  }
  for (const Property& property : of_attention()) {
    INFO(property.id);
    CHECK(noticing.contains(property.id)); // by what it measures: a run that stops says little
  }
}

TEST_CASE("every mistake and every property has its words", "[judge][mistakes]") {
  for (const Language language : {Language::en, Language::zh}) {
    for (const Mistake& mistake : mistakes()) {
      const Words words = words_in(mistake.folder, language);
      INFO(mistake.id);
      CHECK(words.find("mistake." + mistake.id));
      CHECK(words.find("mistake." + mistake.id + ".symptom"));
    }
    const Words common = common_words(language);
    for (const Property& property : properties()) {
      INFO(property.id);
      CHECK(common.find("property." + property.id));
    }
  }
}

TEST_CASE("mistakes that cannot show on an input change nothing", "[judge][mistakes]") {
  const auto changed = [](const std::string& lesson, const InputOptions& options,
                          const std::string& mistake) {
    return run_wrong(run_lesson(find_lesson(lesson), options).trace, {find_mistake(mistake)}).changed;
  };
  InputOptions one_head;
  one_head.d_model = 4, one_head.heads = 1;
  for (const char* id :
       {"heads.split_no_transpose", "heads.interleaved", "heads.shared_weights", "heads.scale_d_model",
        "heads.weights_averaged", "heads.averaged", "heads.merge_no_transpose", "softmax.scale_dv"}) {
    INFO(id);
    CHECK(changed("multihead", one_head, id).empty());
  }
  InputOptions as_many;
  as_many.n_q = 2, as_many.n_k = 5, as_many.d_k = 5;
  CHECK(changed("attention", as_many, "softmax.scale_n").empty());
  as_many.n_k = 4;
  CHECK(changed("attention", as_many, "softmax.scale_n").size() == 3);
  // Only what stands in for −∞ is another; every row sees something.
  CHECK(changed("masked", {}, "mask.minus_1e9") == std::vector<std::string>{"masked"});
  CHECK(changed("masked", {}, "softmax.no_max").empty());
}

TEST_CASE("shapes that do not fit stop a wrong run with both named", "[judge][mistakes]") {
  const auto run = [](const std::string& lesson, const InputOptions& options, const std::string& mistake) {
    return run_wrong(run_lesson(find_lesson(lesson), options).trace, {find_mistake(mistake)});
  };
  const WrongRun product = run("sdpa", {}, "scores.no_transpose");
  CHECK(product.stopped_at == "scores");
  CHECK(product.stops.value().in_english() == "Q (2, 3, 5) · K (2, 4, 5): 5 ≠ 4");
  CHECK_FALSE(product.trace.has("scores"));
  CHECK(product.trace.has("K"));
  CHECK(run("sdpa", {}, "attention.weights_transposed").stops.value().in_english() ==
        "weightsᵀ (2, 4, 3) · V (2, 4, 6): 3 ≠ 4");
  InputOptions batched;
  batched.batch = 3, batched.d_model = 4, batched.heads = 2, batched.causal = true;
  CHECK(run("multihead", batched, "mask.on_heads").stops.value().in_english() ==
        "scores (3, 2, 4, 4), mask (3, 4, 4): 2 ≠ 3");
  CHECK(run("multihead", {}, "heads.averaged").stopped_at == "output");
  InputOptions padded;
  padded.n_q = 3, padded.n_k = 4, padded.pad = 1;
  CHECK(run("masked", padded, "mask.rows").stops.value().in_english() ==
        "maskᵀ (4, 3), scores (3, 4): 3 ≠ 4");
}

TEST_CASE("what is given later can be taken for what comes first", "[judge][mistakes]") {
  const Trace right = run_lesson(find_lesson("cross"), InputOptions{}).trace;
  const WrongRun run = run_wrong(right, {find_mistake("cross.q_from_encoder")});
  CHECK(run.trace.find("Q")->operation.inputs[0] == "memory");
  CHECK(run.trace["weights"].shape == Shape{5, 5});
  for (std::size_t i = 0; i < right.steps.size(); ++i) CHECK(run.trace.steps[i].name == right.steps[i].name);
}
