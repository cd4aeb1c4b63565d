// Lesson 20: merges by hand, the engine's on random texts, and what is refused.

#include "core/error.hpp"
#include "input/subword_input.hpp"
#include "lessons/run.hpp"
#include "page/subwords.hpp"
#include "support/catch.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <random>

using namespace tfx;
using arma::mat;

namespace {

Trace bpe_run(const std::string& text, const std::string& word, std::size_t merges) {
  InputOptions o;
  o.text = text, o.word = word, o.merges = merges;
  return run_lesson(find_lesson("bpe"), o).trace;
}

bool same_cells(const mat& a, const mat& b) {
  return arma::size(a) == arma::size(b) && arma::approx_equal(a, b, "absdiff", 0);
}

std::string bpe_refusal(const InputOptions& o) {
  try {
    run_lesson(find_lesson("bpe"), o);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("pairs are counted inside pieces, as often as the text has the piece", "[lessons][bpe]") {
  // "ab" three times, "ba" twice, "aba" once: a b 3 + 1, b a 2 + 1
  const mat pairs = page::pair_counts({{0, 1, -1}, {1, 0, -1}, {0, 1, 0}}, {3, 2, 1}, 2);
  CHECK(same_cells(pairs, {{0, 4}, {3, 0}}));
  CHECK(same_cells(mat(page::most_frequent(pairs)), {{0, 1}}));
  CHECK(same_cells(mat(page::most_frequent({{1, 5, 2}, {5, 0, 0}, {0, 0, 5}})),
                   {{0, 1}})); // the first of three
}

TEST_CASE("a merge goes from left to right", "[lessons][bpe]") {
  CHECK(same_cells(page::merge_pair({{0, 0, 0, -1}, {0, 0, 0, 0}, {1, 0, 0, 1}}, {0, 0}, 2),
                   {{2, 0, -1, -1}, {2, 2, -1, -1}, {1, 2, 1, -1}}));
}

TEST_CASE("merges are made in the order learned", "[lessons][bpe]") {
  // b c is the older one, so a b c is a bc, though a b stands in front
  CHECK(same_cells(page::encode({{0, 1, 2}}, {{1, 2}, {0, 1}}, 3), {{0, 3, -1}}));
}

TEST_CASE("the paper's words give the paper's merges", "[lessons][bpe]") {
  const Trace t = run_lesson(find_lesson("bpe"), {}).trace;
  const std::vector<std::string> rows{"e + s → es", "es + t → est", "l + o → lo", "lo + w → low",
                                      "e + w → ew"};
  CHECK(t.find("merges")->labels[0] == rows);
  CHECK(std::get<std::string>(t.facts.at("parts")) == "low est");
  CHECK(t["pairs_1"].at({1, 7}) == 9); // e s: newest six times, widest three times
  CHECK(std::ranges::all_of(t.checks, &Check::pass));
}

TEST_CASE("without a word of the learner's the text's rarest piece is cut", "[lessons][bpe]") {
  InputOptions o;
  o.text = "low low lower newest newest slow newest.";
  const Trace t = run_lesson(find_lesson("bpe"), o).trace;
  CHECK(std::get<std::string>(t.facts.at("rare")) ==
        "Ġslow"); // once, as "Ġlower", and the last; "." is one character
  CHECK_FALSE(t.facts.contains("unseen"));
  CHECK(t.spotlight->tensor == "pairs_1");         // where its first pair was counted
  CHECK(t["pairs_1"].at(t.spotlight->index) == 4); // l o; o w and w e have as many

  o.word = "lowest";
  const Trace other = run_lesson(find_lesson("bpe"), o).trace;
  CHECK(std::get<std::string>(other.facts.at("unseen")) == "lowest");
  CHECK_FALSE(other.facts.contains("rare"));
}

TEST_CASE("the page learns and cuts as the engine does, on any text", "[lessons][bpe]") {
  const std::vector<std::string> parts{"a",  "b", "aa", "ab", "ba", "abc",  "the", " ", "  ",
                                       "\n", "1", "!",  "你", "好", "你好", "é",   "😀", "'s"};
  std::mt19937 draws(20);
  const auto text_of = [&](std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += parts[draws() % parts.size()];
    return text;
  };
  std::size_t runs = 0, merges = 0;
  for (int i = 0; i < 300; ++i) {
    const std::string text = text_of(2 + draws() % 60), word = text_of(1 + draws() % 12);
    INFO(text << "\n" << word);
    try {
      const Trace t = bpe_run(text, word, 1 + draws() % max_lesson_merges);
      for (const Check& check : t.checks) {
        INFO(check.id << " " << check.value);
        CHECK(check.pass);
      }
      ++runs, merges += t["merges"].shape[0];
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage); // no pair stands twice
    }
  }
  CHECK(runs > 200);
  CHECK(merges > 1000);
}

TEST_CASE("the first merges of Chinese put its bytes together", "[lessons][bpe]") {
  const Trace t = bpe_run("学习 学生 大学 学校 同学", "学", 2);
  CHECK(std::get<std::string>(t.facts.at("parts")) == "学");
  const auto symbols = t.find("symbols")->labels[1];
  CHECK(std::ranges::count(symbols, "<E5>") == 1);
}

TEST_CASE("an unseen character is cut into its bytes, never unknown", "[lessons][bpe]") {
  CHECK(std::get<std::string>(bpe_run("low low", "é", 1).facts.at("parts")) == "<C3> <A9>");
}

TEST_CASE("a text that gives nothing to learn, or too much to show, is refused", "[lessons][bpe]") {
  InputOptions o;
  o.text = "abc";
  CHECK(bpe_refusal(o) == in_words("usage.no_pair_twice"));
  o.text = "";
  CHECK(bpe_refusal(o) == in_words("usage.nothing_to_cut", {{"name", "--text"}}));
  o.text = "a a a", o.word = "";
  CHECK(bpe_refusal(o) == in_words("usage.nothing_to_cut", {{"name", "--word"}}));
  o.word = std::string(max_lesson_piece + 1, 'a');
  CHECK_FALSE(bpe_refusal(o).empty());
  o.word = "a", o.text = std::string(max_lesson_text + 1, ' ');
  CHECK_FALSE(bpe_refusal(o).empty());
  o.text = "a\xff a\xff";
  CHECK_FALSE(bpe_refusal(o).empty());
}
