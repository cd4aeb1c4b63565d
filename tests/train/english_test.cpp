#include "train/english.hpp"

#include "core/error.hpp"
#include "io/error_of.hpp"
#include "number_examples.hpp"
#include "support/catch.hpp"
#include "text/tokens.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace tfx;

namespace {

using And = EnglishStyle::And;
using Tens = EnglishStyle::Tens;
constexpr EnglishStyle styles[] = {{And::said, Tens::hyphen},
                                   {And::said, Tens::blank},
                                   {And::left_out, Tens::hyphen},
                                   {And::left_out, Tens::blank}};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

// What the words count, by a dictionary of its own.
std::uint64_t value_of(const std::string& english) {
  static const std::map<std::string, std::uint64_t> words{
      {"zero", 0},     {"one", 1},      {"two", 2},        {"three", 3},     {"four", 4},
      {"five", 5},     {"six", 6},      {"seven", 7},      {"eight", 8},     {"nine", 9},
      {"ten", 10},     {"eleven", 11},  {"twelve", 12},    {"thirteen", 13}, {"fourteen", 14},
      {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19},
      {"twenty", 20},  {"thirty", 30},  {"forty", 40},     {"fifty", 50},    {"sixty", 60},
      {"seventy", 70}, {"eighty", 80},  {"ninety", 90}};
  std::uint64_t total = 0, group = 0;
  for (const std::string& word : split_at_white_space(replaced(english, "-", " "))) {
    if (word == "and") continue;
    if (word == "hundred")
      group *= 100;
    else if (word == "thousand")
      total += group * 1000, group = 0;
    else if (word == "million")
      total += group * 1'000'000, group = 0;
    else
      group += words.at(word);
  }
  return total + group;
}

} // namespace

TEST_CASE("numbers are spelled in English as by hand", "[train]") {
  for (const SpelledNumber& number : spelled_by_hand) {
    const std::string english = number.english;
    CHECK(spell_english(number.n) == english);
    CHECK(spell_english(number.n, {And::said, Tens::blank}) == replaced(english, "-", " "));
    CHECK(spell_english(number.n, {And::left_out, Tens::hyphen}) == replaced(english, " and ", " "));
    CHECK(spell_english(number.n, {And::left_out, Tens::blank}) ==
          replaced(replaced(english, " and ", " "), "-", " "));
  }
}

TEST_CASE("English number words count what they were spelled from", "[train]") {
  std::mt19937 random(1);
  const auto check = [](std::uint32_t n) {
    for (const EnglishStyle& style : styles) {
      const std::string english = spell_english(n, style);
      INFO(n << ": " << english);
      REQUIRE(value_of(english) == n);
      REQUIRE(english.find("  ") == english.npos);
      const bool hyphen = english.find('-') != english.npos;
      REQUIRE((style.tens == Tens::hyphen || !hyphen));
      REQUIRE((style.and_word == And::said || english.find(" and ") == english.npos));
    }
  };
  for (std::uint32_t n = 0; n <= 20'000; ++n) check(n);
  for (int i = 0; i < 20'000; ++i) check(static_cast<std::uint32_t>(random() % (largest_spelled + 1)));
  for (std::uint32_t power = 1; power < largest_spelled; power *= 10)
    for (const std::uint32_t n : {power - 1, power, power + 1, 2 * power, 9 * power}) check(n);
}

TEST_CASE("the English number words are those that spelling uses", "[train]") {
  std::set<std::string> used;
  for (std::uint32_t n = 0; n < 200; ++n)
    for (const std::string& word : split_at_white_space(spell_english(n, {And::said, Tens::blank})))
      used.insert(word);
  for (const std::string& word : split_at_white_space(spell_english(1'001'000))) used.insert(word);
  const std::vector<std::string>& words = english_number_words();
  CHECK(std::set<std::string>(words.begin(), words.end()) == used);
  CHECK(words.size() == used.size());
}

TEST_CASE("a number of ten digits is not spelled in English", "[train]") {
  CHECK(value_of(spell_english(999'999'999)) == 999'999'999);
  check_error(ErrorKind::usage, "1000000000 has more than nine digits", [] { spell_english(1'000'000'000); });
}
