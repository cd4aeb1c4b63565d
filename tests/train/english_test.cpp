#include "train/number_words.hpp"

#include "core/error.hpp"
#include "english_value.hpp"
#include "io/error_of.hpp"
#include "number_examples.hpp"
#include "support/catch.hpp"
#include "text/tokens.hpp"

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

// How often "and" is said: in each group with hundreds and more, and before a last group without hundreds.
int ands(std::uint32_t n) {
  int count = n >= 1000 && n % 1000 > 0 && n % 1000 < 100 ? 1 : 0;
  for (; n > 0; n /= 1000) count += n % 1000 > 100 && n % 100 > 0;
  return count;
}

int count_of(const std::string& text, const std::string& what) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; ++at) ++count;
  return count;
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
      REQUIRE(english_value(english) == n);
      REQUIRE(english.find("  ") == english.npos);
      const bool hyphen = english.find('-') != english.npos;
      REQUIRE((style.tens == Tens::hyphen || !hyphen));
      REQUIRE(count_of(english, " and ") == (style.and_word == And::said ? ands(n) : 0));
    }
  };
  for (std::uint32_t n = 0; n <= 20'000; ++n) check(n);
  for (int i = 0; i < 20'000; ++i) check(static_cast<std::uint32_t>(random() % (max_spelled + 1)));
  for (std::uint32_t power = 1; power < max_spelled; power *= 10)
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
  CHECK(english_value(spell_english(999'999'999)) == 999'999'999);
  check_error(ErrorKind::usage, "1000000000 has more than nine digits", [] { spell_english(1'000'000'000); });
}
