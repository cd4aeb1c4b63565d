#include "measure/translation.hpp"

#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

using namespace tfx;
using Pairs = std::vector<std::pair<std::string, std::string>>; // answer, reference

namespace {

PairCounts sum_of(const Pairs& pairs) {
  PairCounts sum;
  for (const auto& [answer, reference] : pairs) sum += compare_pair(answer, reference);
  return sum;
}

Measures of(const Pairs& pairs) {
  return measures_of(sum_of(pairs));
}

struct Corpus {
  Pairs pairs;
  Measures measures;
};

std::vector<Corpus> reference_corpora() {
  std::ifstream file(std::string(TFX_SOURCE_DIR) + "/data/reference/measures.json");
  std::vector<Corpus> corpora;
  for (const auto& one : nlohmann::json::parse(file))
    corpora.push_back({one["pairs"].get<Pairs>(), {one["exact"], one["bleu"], one["chrf"]}});
  return corpora;
}

} // namespace

TEST_CASE("tokens are words, punctuation marks, and characters where Chinese is written", "[translation]") {
  CHECK(tokens_to_count("Don't 保存。") == Units{"Don", "'", "t", "保", "存", "。"});
  CHECK(tokens_to_count("  3.14 €\xE3\x80\x80naïve_x ") == Units{"3", ".", "14", "€", "naïve", "_", "x"});
  CHECK(tokens_to_count("e\xCC\x81t\xC3\xA9") == Units{"e\xCC\x81t\xC3\xA9"}); // a mark stays in its word
  CHECK(tokens_to_count(" ").empty());
  CHECK(characters_to_count("a 我\tb") == Units{"a", "我", "b"});
}

TEST_CASE("an answer is exact where its tokens are: blanks do not count, case does", "[translation]") {
  CHECK(of({{"copy , paste", "copy, paste"}, {"Copy", "copy"}}).exact == 50);
  CHECK(of({{"我 爱 你", "我爱你"}}).bleu == Approx(100));
}

TEST_CASE("an n-gram is matched as often as both have it", "[translation]") {
  const PairCounts counts = compare_pair("the the the the the the the", "the cat is on the mat");
  CHECK(counts.tokens[0] == NGramMatches{2, 7, 6}); // the example of Papineni et al., section 2.1
  CHECK(counts.tokens[1] == NGramMatches{0, 6, 5});
  CHECK(compare_pair("a b a b", "b a b").tokens[1] == NGramMatches{2, 3, 2});
}

TEST_CASE("BLEU is what a calculation by hand gives", "[translation]") {
  // matched 4/5, 3/4, 2/3, 1/2, whose product is 1/5; 5 tokens where the reference has 6
  CHECK(of({{"a b c d e", "a b c d f g"}}).bleu == Approx(100 * std::exp(-0.2) * std::pow(0.2, 0.25)));
  CHECK(of({{"a b c d f g", "a b c d e"}}).bleu ==
        Approx(100 * std::pow(4. / 6 * 3. / 5 * 2. / 4 * 1. / 3, 0.25))); // longer: no penalty
  CHECK(of({{"a b c x d e f", "a b c y d e f"}}).bleu == 0);              // no 4-gram
  // Over two pairs counts are added, not scores: 6/7, 4/5, 3/4, 2/2 … of answers with 7 tokens for 7
  CHECK(of({{"a b c d e", "a b c d e"}, {"x y", "x z"}}).bleu ==
        Approx(100 * std::pow(6. / 7 * 4. / 5 * 1 * 1, 0.25)));
}

TEST_CASE("chrF is what a calculation by hand gives", "[translation]") {
  CHECK(of({{"abc", "abd"}}).chrf == Approx(100 * 7. / 18)); // (2/3 + 1/2 + 0) / 3, both ways
  // P = (2/2 + 1/1 + 0 + 0)/4 = 1/2, R = (2/4 + 1/3 + 0 + 0)/4 = 5/24, 5·P·R/(4·P + R) = 25/106
  CHECK(of({{"a b", "ab cd"}}).chrf == Approx(100 * 25. / 106));
  CHECK(of({{"ab cd", "a b"}}).chrf == Approx(100 * 5 * 5. / 48 / (4 * 5. / 24 + 0.5))); // recall counts more
  CHECK(of({{"", "ab"}}).chrf == 0);
}

TEST_CASE("measures are those of a second implementation, written from the papers in Python",
          "[translation]") {
  const std::vector<Corpus> corpora = reference_corpora();
  REQUIRE(corpora.size() == 40);
  for (const Corpus& corpus : corpora) {
    INFO(corpus.pairs[0].first);
    const Measures measures = of(corpus.pairs);
    CHECK(measures.exact == Approx(corpus.measures.exact).epsilon(1e-12));
    CHECK(measures.bleu == Approx(corpus.measures.bleu).epsilon(1e-12));
    CHECK(measures.chrf == Approx(corpus.measures.chrf).epsilon(1e-12));
  }
}

TEST_CASE("references answered with themselves are 100, in any order of the pairs anything is the same",
          "[translation]") {
  std::mt19937 random(1);
  for (Corpus& corpus : reference_corpora()) {
    Pairs same, one;
    for (const auto& [answer, reference] : corpus.pairs) same.emplace_back(reference, reference);
    const Measures all = of(same), before = of(corpus.pairs);
    CHECK(all.exact == 100);
    CHECK(all.bleu == Approx(100).epsilon(1e-14));
    CHECK(all.chrf == Approx(100).epsilon(1e-14));
    std::shuffle(corpus.pairs.begin(), corpus.pairs.end(), random);
    const Measures after = of(corpus.pairs);
    CHECK(before.exact == after.exact);
    CHECK(before.bleu == after.bleu);
    CHECK(before.chrf == after.chrf);
  }
}

TEST_CASE("BLEU is at most what its best order and its brevity allow, chrF at most its best order",
          "[translation]") {
  for (const Corpus& corpus : reference_corpora()) {
    const PairCounts sum = sum_of(corpus.pairs);
    double best = 0, brevity = 1, best_characters = 0;
    for (const NGramMatches& order : sum.tokens)
      if (order.answer > 0)
        best = std::max(best, static_cast<double>(order.matched) / static_cast<double>(order.answer));
    for (const NGramMatches& order : sum.characters)
      for (const std::size_t whole : {order.answer, order.reference})
        if (whole > 0)
          best_characters =
              std::max(best_characters, static_cast<double>(order.matched) / static_cast<double>(whole));
    const auto c = static_cast<double>(sum.tokens[0].answer),
               r = static_cast<double>(sum.tokens[0].reference);
    if (c < r) brevity = std::exp(1 - r / c);
    const Measures measures = measures_of(sum);
    CHECK(measures.bleu <= 100 * best * brevity * (1 + 1e-12));
    CHECK(measures.chrf <= 100 * best_characters * (1 + 1e-12));
  }
}

TEST_CASE("the loss is a mean over tokens, and perplexity its exponential", "[translation]") {
  PairCounts one = compare_pair("a", "a"), other = one;
  one.loss = 3 * std::log(2.), one.loss_tokens = 3;
  other.loss = std::log(4.), other.loss_tokens = 2;
  one += other;
  CHECK(measures_of(one).loss == Approx(std::log(2.)));
  CHECK(measures_of(one).perplexity == Approx(2));
  CHECK(measures_of(compare_pair("a", "b")).perplexity == 0);
}
