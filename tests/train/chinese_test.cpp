#include "train/number_words.hpp"

#include "core/error.hpp"
#include "io/error_of.hpp"
#include "number_examples.hpp"
#include "support/catch.hpp"
#include "text/vocabulary.hpp"

#include <map>
#include <random>
#include <set>

using namespace tfx;

namespace {

// What a numeral counts: a digit waits for its unit, a group for 万 or 亿.
std::uint64_t value_of(const std::string& numeral) {
  static const std::map<std::string, std::uint64_t> digits{{"零", 0}, {"一", 1}, {"二", 2}, {"两", 2},
                                                           {"三", 3}, {"四", 4}, {"五", 5}, {"六", 6},
                                                           {"七", 7}, {"八", 8}, {"九", 9}};
  static const std::map<std::string, std::uint64_t> units{{"十", 10}, {"百", 100}, {"千", 1000}};
  std::uint64_t total = 0, group = 0, digit = 0;
  for (const std::string& character : split(numeral, Tokenizer::characters)) {
    if (digits.contains(character)) {
      digit = digits.at(character);
    } else if (units.contains(character)) {
      group += (digit == 0 ? 1 : digit) * units.at(character); // 十五
      digit = 0;
    } else {
      total += (group + digit) * (character == "万" ? 10'000 : 100'000'000);
      group = digit = 0;
    }
  }
  return total + group + digit;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != text.npos;) text.replace(at, what.size(), by);
}

bool starts(const std::string& text, const std::string& with) {
  return text.compare(0, with.size(), with) == 0;
}

// The rule as a schoolbook has it: write every digit with its unit, each zero as 零, and strike out what is
// not read.
std::string by_striking_out(std::uint32_t n) {
  const std::string digit[] = {"零", "一", "二", "三", "四", "五", "六", "七", "八", "九"}, zero = digit[0];
  const std::string unit[] = {"", "十", "百", "千"}, group_unit[] = {"", "万", "亿"};
  std::string text;
  for (int group = 2; group >= 0; --group) {
    std::string spelled;
    for (int place = 3; place >= 0; --place) {
      const std::uint32_t power[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
      const int at = 4 * group + place;
      const std::uint32_t d = at > 8 ? 0 : n / power[at] % 10;
      spelled += d == 0 ? zero : digit[d] + unit[place];
    }
    replace_all(spelled, zero + zero, zero);
    if (spelled == zero) {
      text += zero;
      continue;
    }
    if (spelled.ends_with(zero)) spelled.resize(spelled.size() - zero.size());
    if (spelled == zero + "二" && group > 0) spelled = zero + "两";
    text += spelled + group_unit[group];
  }
  replace_all(text, zero + zero, zero);
  if (text == zero) return text;
  if (text.ends_with(zero)) text.resize(text.size() - zero.size());
  if (starts(text, zero)) text.erase(0, zero.size());
  if (starts(text, "一十")) text.erase(0, std::string("一").size());
  replace_all(text, "二千", "两千");
  return text;
}

} // namespace

TEST_CASE("numbers are spelled in Chinese as by hand", "[train]") {
  CHECK(spelled_by_hand.size() >= 60);
  for (const SpelledNumber& number : spelled_by_hand) CHECK(spell_chinese(number.n) == number.chinese);
}

TEST_CASE("Chinese numerals count what they were spelled from, and leave out the zeros that nobody reads",
          "[train]") {
  std::mt19937 random(1);
  const auto check = [](std::uint32_t n) {
    const std::string chinese = spell_chinese(n);
    INFO(n << ": " << chinese);
    REQUIRE(value_of(chinese) == n);
    REQUIRE(chinese == by_striking_out(n));
  };
  for (std::uint32_t n = 0; n <= 20'000; ++n) check(n);
  for (int i = 0; i < 50'000; ++i) check(static_cast<std::uint32_t>(random() % (max_spelled + 1)));
  for (int i = 0; i < 50'000; ++i) { // many zeros, and twos and ones, which have rules of their own
    std::uint32_t n = 0;
    for (int place = 0; place < 9; ++place)
      n = 10 * n + static_cast<std::uint32_t>(random() % 2 ? 0 : random() % 3);
    check(n);
  }
}

TEST_CASE("the characters of numerals are those that spelling uses", "[train]") {
  std::set<std::string> used;
  for (const SpelledNumber& number : spelled_by_hand)
    for (const std::string& character : split(spell_chinese(number.n), Tokenizer::characters))
      used.insert(character);
  const auto characters = split(chinese_number_characters(), Tokenizer::characters);
  CHECK(std::set<std::string>(characters.begin(), characters.end()) == used);
  CHECK(characters.size() == used.size());
}

TEST_CASE("a number of ten digits is not spelled in Chinese", "[train]") {
  CHECK(spell_chinese(999'999'999) == "九亿九千九百九十九万九千九百九十九");
  check_error(ErrorKind::usage, "1000000000 has more than nine digits", [] { spell_chinese(1'000'000'000); });
}
