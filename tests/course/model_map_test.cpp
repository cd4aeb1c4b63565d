#include "course/model_map.hpp"

#include "support/catch.hpp"
#include "words/in_words.hpp"

#include <set>

namespace tfx {

TEST_CASE("every lesson has a place on the map of the model, and every lesson there exists",
          "[course][map]") {
  std::set<std::string> on_map;
  const auto add = [&](const ModelPart& part) {
    for (const std::string& command : part.lessons) {
      CAPTURE(part.id, command);
      CHECK(lesson_named(command) != nullptr);
      on_map.insert(command);
    }
  };
  for (const PartGroup& group : model_map()) {
    add(group.whole);
    for (const ModelPart& part : group.parts) add(part);
  }
  for (const Lesson& lesson : lessons()) {
    CAPTURE(lesson.command);
    CHECK(on_map.count(lesson.command) == 1);
    CHECK(group_of(lesson) != nullptr);
  }
}

TEST_CASE("every part has a name in both languages, and one place teaches it", "[course][map]") {
  std::map<std::string, std::vector<std::string>> taught;
  for (const Language language : {Language::en, Language::zh}) {
    const Words words = course_words(language);
    for (const PartGroup& group : model_map()) {
      CHECK_FALSE(name_of(group.whole, words).empty());
      for (const ModelPart& part : group.parts) {
        CAPTURE(part.id);
        CHECK_FALSE(name_of(part, words).empty());
        CHECK(taught.emplace(part.id, part.lessons).first->second == part.lessons);
      }
    }
  }
}

TEST_CASE("numbers of lessons are drawn together from three on", "[course][map]") {
  CHECK(lesson_numbers({"", {"scores"}}) == "3");
  CHECK(lesson_numbers({"", {"embed", "words"}}) == "1, 8");
  CHECK(lesson_numbers({"", {"masked", "multihead"}}) == "9, 10");
  CHECK(lesson_numbers({"", {"lookup", "scores", "softmax", "attention", "cross"}}) == "0, 3–5, 11");
  CHECK(lesson_numbers({"", {}}).empty());
}

TEST_CASE("an arrow stands where numbers flow, and an appendix has no number", "[course][map]") {
  CHECK(place_in_model(*lesson_named("params")).find("→") == std::string::npos);
  CHECK(place_in_model(*lesson_named("params")).ends_with(" · [parameters]"));
  CHECK(place_in_model(*lesson_named("bench")) == "appendices: tfx errata · [tfx bench]");
  CHECK(lesson_numbers({"", {"errata"}}).empty());
}

TEST_CASE("a lesson's place is its part in brackets, inside a layer among the layer's parts",
          "[course][map]") {
  CHECK(place_in_model(*lesson_named("scores")).find("→ [Q·Kᵀ] →") != std::string::npos);
  CHECK(place_in_model(*lesson_named("lookup")).starts_with("[attention]:"));
  const std::string cross = place_in_model(*lesson_named("cross"));
  CHECK(cross.starts_with("decoder: masked self-attention"));
  CHECK(cross.find("[cross-attention]") != std::string::npos);
  const Lesson& block = *lesson_named("block");
  CHECK(place_in_model(block) == "encoder: self-attention → [add & norm] → [feed-forward] → [add & norm]");
  CHECK(place_in_model(block, NormPlacement::pre_norm) ==
        "encoder: [norm] → self-attention → [add] → [norm] → [feed-forward] → [add]");
  CHECK(place_in_model(*lesson_named("embed")) ==
        "encoder: source tokens → [embedding + position] → N layers");
  CHECK(place_in_model(*lesson_named("bpe")) == "encoder: [source tokens] → embedding + position → N layers");
}

} // namespace tfx
