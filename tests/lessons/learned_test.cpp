// The box of learned numbers: what is committed is what the translator computes, and what the lessons on the
// translator's own numbers show.

#include "core/resource.hpp"
#include "lessons/known_models.hpp"
#include "lessons/learned.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "trace/trace.hpp"

#include <algorithm>

using namespace tfx;

namespace {

const std::vector<std::string> boxed{"words", "attention", "masked", "multihead", "cross"};

void compare(const Learned& committed, const Learned& computed) {
  REQUIRE(committed.rows.size() == computed.rows.size());
  CHECK(committed.answer == computed.answer);
  CHECK(committed.layer == computed.layer);
  for (std::size_t i = 0; i < computed.rows.size(); ++i) {
    const LearnedRow &one = committed.rows[i], &other = computed.rows[i];
    CHECK(one.from == other.from);
    CHECK(one.head == other.head);
    REQUIRE(one.to.size() == other.to.size());
    for (std::size_t k = 0; k < one.to.size(); ++k) {
      CHECK(one.to[k].first == other.to[k].first);
      CHECK_THAT(one.to[k].second, Catch::Matchers::WithinAbs(other.to[k].second, 1e-4));
    }
  }
}

} // namespace

TEST_CASE("the committed box of each lesson is what the translator computes", "[learned]") {
  std::string csv;
  for (const std::string& lesson : boxed) csv += learned_csv(learned_of(lesson, usual_sentence).value());
  INFO("data/learned/en-zh.csv:\n" << csv);
  for (const std::string& lesson : boxed) {
    CAPTURE(lesson);
    compare(usual_learned(lesson).value(), learned_of(lesson, usual_sentence).value());
  }
  CHECK(resource("data/learned/en-zh.csv").size() <= 2048);
}

TEST_CASE("a box has the weights that the lesson shows of the translator", "[learned]") {
  for (const std::string text : {usual_sentence, "select the file that you want to open ."})
    for (const std::string lesson : {"attention", "masked", "cross"}) {
      CAPTURE(lesson, text);
      const Learned box = learned_of(lesson, text).value();
      InputOptions options;
      options.model = translator, options.text = text, options.head = box.rows[0].head;
      options.layer = box.layer;
      const Trace page = run_lesson(find_lesson(lesson), options).trace;
      const Step& weights = page.step_named("weights");
      for (const LearnedRow& row : box.rows) {
        double nearest = 1;
        const std::string reads = row.from.substr(0, row.from.find("→"));
        for (std::size_t i = 0; i < weights.value.shape[0]; ++i) {
          if (weights.labels[0][i].substr(0, weights.labels[0][i].find("→")) != reads) continue;
          double apart = 0;
          for (const auto& [key, weight] : row.to) {
            double best = 1;
            for (std::size_t j = 0; j < weights.value.shape[1]; ++j)
              if (weights.labels[1][j] == key)
                best = std::min(best, std::abs(weights.value.at({i, j}) - weight));
            apart = std::max(apart, best);
          }
          nearest = std::min(nearest, apart);
        }
        CHECK(nearest < 1e-5);
      }
    }
}

TEST_CASE("a box stands beside words that the translator knows, and beside no others", "[learned]") {
  for (const std::string& lesson : boxed) {
    CAPTURE(lesson);
    CHECK(learned_of(lesson, "the red cell"));
    CHECK_FALSE(learned_of(lesson, "the crimson quokka"));
    CHECK_FALSE(learned_of(lesson, ""));
  }
  CHECK_FALSE(learned_of("attention", "cell")); // it could look at itself alone
  CHECK_FALSE(learned_of("scores", "the red cell"));
  CHECK_FALSE(usual_learned("scores"));
}

TEST_CASE("the word that a box of heads shows is the one on which they differ most", "[learned]") {
  const Learned box = learned_of("multihead", usual_sentence).value();
  REQUIRE(box.rows.size() == 4);
  for (std::size_t head = 0; head < 4; ++head) {
    CHECK(box.rows[head].head == head);
    CHECK(box.rows[head].from == box.rows[0].from);
  }
  InputOptions options;
  options.model = translator, options.text = usual_sentence, options.layer = 0;
  const Trace page = run_lesson(find_lesson("multihead"), options).trace;
  const Step& weights = page.step_named("weights");
  std::size_t most = 0, shown = 0;
  for (std::size_t row = 0; row < weights.value.shape[1]; ++row) {
    std::vector<std::size_t> keys;
    for (std::size_t head = 0; head < 4; ++head) {
      std::size_t best = 0;
      for (std::size_t j = 0; j < weights.value.shape[2]; ++j)
        if (weights.value.at({head, row, j}) > weights.value.at({head, row, best})) best = j;
      if (!std::ranges::count(keys, best)) keys.push_back(best);
    }
    most = std::max(most, keys.size());
    if (weights.labels[1][row] == box.rows[0].from) shown = keys.size();
  }
  CHECK(shown == most);
}
