// The box of learned numbers: what is committed is what the translator computes, and what the lessons on the
// translator's own numbers show.

#include "core/resource.hpp"
#include "lessons/known_models.hpp"
#include "lessons/learned.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace tfx;

namespace {

const std::vector<std::string> boxed{"words", "attention", "masked", "multihead", "cross"};

/// The lines of data/learned/en-zh.csv: lesson|from|writes|to, layer, head, number. A line without `from` is
/// the answer.
std::string csv_of(const Learned& learned) {
  std::string csv;
  const std::size_t layer = learned.layer.value_or(0);
  if (!learned.answer.empty()) csv += fmt::format("{}|||{},{},0,0\n", learned.lesson, learned.answer, layer);
  for (const LearnedRow& row : learned.rows)
    for (const auto& [to, number] : row.to)
      csv += fmt::format("{}|{}|{}|{},{},{},{:.4f}\n", learned.lesson, row.from, row.writes, to, layer,
                         row.head, number);
  return csv;
}

void compare(const Learned& committed, const Learned& computed) {
  REQUIRE(committed.rows.size() == computed.rows.size());
  CHECK(committed.answer == computed.answer);
  CHECK(committed.layer == computed.layer);
  REQUIRE(committed.point.has_value() == computed.point.has_value());
  if (computed.point) {
    CHECK(committed.point->from == computed.point->from);
    CHECK(committed.point->key == computed.point->key);
    CHECK(committed.point->writes == computed.point->writes);
  }
  for (std::size_t i = 0; i < computed.rows.size(); ++i) {
    const LearnedRow &one = committed.rows[i], &other = computed.rows[i];
    CHECK(one.from == other.from);
    CHECK(one.writes == other.writes);
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
  for (const std::string& lesson : boxed) csv += csv_of(learned_of(lesson, usual_sentence).value());
  INFO("data/learned/en-zh.csv:\n" << csv);
  for (const std::string& lesson : boxed) {
    CAPTURE(lesson);
    compare(usual_learned(lesson).value(), learned_of(lesson, usual_sentence).value());
  }
  CHECK(resource("data/learned/en-zh.csv").size() <= 2048); // it is no model
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
        const std::string label = lesson == "cross" ? row.from + "→" + row.writes : row.from;
        for (std::size_t i = 0; i < weights.value.shape[0]; ++i) {
          if (weights.labels[0][i] != label) continue;
          // The keys that are listed are the largest, each with its weight.
          std::vector<std::pair<double, std::string>> largest;
          for (std::size_t j = 0; j < weights.value.shape[1]; ++j)
            largest.emplace_back(-weights.value.at({i, j}), weights.labels[1][j]);
          std::ranges::stable_sort(largest, {}, &std::pair<double, std::string>::first);
          double apart = 0;
          for (std::size_t k = 0; k < row.to.size(); ++k)
            apart = std::max(apart, row.to[k].first == largest[k].second
                                        ? std::abs(-largest[k].first - row.to[k].second)
                                        : 1);
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
    std::string long_text = "the red cell";
    for (int i = 0; i < 60; ++i) long_text += " and the cell";
    CHECK_FALSE(learned_of(lesson, long_text)); // no training had one so long
  }
  for (const std::string lesson : {"attention", "multihead"})
    for (const std::string text : {"cell", "Cell"}) // one word, that could look at itself alone
      CHECK_FALSE(learned_of(lesson, text));
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

TEST_CASE("a box quotes a row that looks most at another word, and no mark", "[learned]") {
  std::size_t quoted = 0;
  for (const std::string lesson : {"attention", "masked", "cross"})
    for (const std::string text :
         {"Click the red cell", "the cell the cell", "Select the cells that you want to copy.",
          "open the file and close the file"}) {
      CAPTURE(lesson, text);
      const auto box = learned_of(lesson, text);
      REQUIRE(box);
      CHECK(box->rows.size() <= 4);
      if (!box->point) continue;
      ++quoted;
      CHECK(box->point->key != box->point->from);
      CHECK(box->point->key != "⇧");
      CHECK(box->point->key != "<s>");
      CHECK(std::ranges::any_of(box->rows, [&](const LearnedRow& row) {
        return row.from == box->point->from && row.to[0] == std::pair(box->point->key, box->point->weight);
      }));
    }
  CHECK(quoted >= 9);
}
