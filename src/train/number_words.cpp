#include "train/number_words.hpp"

#include "core/error.hpp"

#include <array>

namespace tfx {

namespace {

constexpr std::array below_20{"zero",    "one",     "two",       "three",    "four",
                              "five",    "six",     "seven",     "eight",    "nine",
                              "ten",     "eleven",  "twelve",    "thirteen", "fourteen",
                              "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array tens{"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"};

void say(std::string& text, const std::string& word) {
  text += (text.empty() ? "" : " ") + word;
}

std::string below_100(std::uint32_t n, const EnglishStyle& style) {
  if (n < 20) return below_20[n];
  std::string ten = tens[n / 10 - 2];
  if (n % 10 == 0) return ten;
  return ten + (style.tens == EnglishStyle::Tens::hyphen ? "-" : " ") + below_20[n % 10];
}

/// 1 … 999 behind what has been said; "and" stands between the hundreds and what follows them.
void say_group(std::string& text, std::uint32_t n, const EnglishStyle& style) {
  if (n >= 100) say(text, std::string(below_20[n / 100]) + " hundred");
  if (n % 100 == 0) return;
  if (n >= 100 && style.and_word == EnglishStyle::And::said) say(text, "and");
  say(text, below_100(n % 100, style));
}

} // namespace

std::string spell_english(std::uint32_t n, const EnglishStyle& style) {
  if (n > max_spelled)
    throw usage(said("{number} has more than nine digits", {{"number", n}}),
                said("numbers are spelled up to {most}", {{"most", max_spelled}}));
  if (n == 0) return below_20[0];
  std::string text;
  struct Scale {
    std::uint32_t value;
    const char* word;
  };
  for (const Scale scale : {Scale{1'000'000, " million"}, Scale{1000, " thousand"}}) {
    if (const std::uint32_t group = n / scale.value % 1000; group > 0) {
      say_group(text, group, style);
      text += scale.word;
    }
  }
  const std::uint32_t last = n % 1000;
  const bool no_hundreds = last > 0 && last < 100 && !text.empty(); // one thousand and five
  if (no_hundreds && style.and_word == EnglishStyle::And::said) say(text, "and");
  if (last > 0) say_group(text, last, style);
  return text;
}

const std::vector<std::string>& english_number_words() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all(below_20.begin(), below_20.end());
    all.insert(all.end(), tens.begin(), tens.end());
    all.insert(all.end(), {"hundred", "thousand", "million", "and"});
    return all;
  }();
  return words;
}

namespace {

constexpr std::array digits{"零", "一", "二", "三", "四", "五", "六", "七", "八", "九"};
constexpr auto two_of = "两";

struct Unit {
  std::uint32_t value;
  const char* name;
};
constexpr std::array<Unit, 4> units{{{1000, "千"}, {100, "百"}, {10, "十"}, {1, ""}}};
constexpr std::array<Unit, 3> groups{{{100'000'000, "亿"}, {10'000, "万"}, {1, ""}}};

/// 1 … 9999; zeros before its first digit are the caller's.
std::string spell_group(std::uint32_t n) {
  std::string text;
  bool gap = false;
  for (const Unit& unit : units) {
    const std::uint32_t digit = n / unit.value % 10;
    if (digit == 0) {
      gap = !text.empty();
      continue;
    }
    if (gap) text += digits[0];
    gap = false;
    text += digit == 2 && unit.value == 1000 ? two_of : digits[digit];
    text += unit.name;
  }
  return text;
}

} // namespace

std::string spell_chinese(std::uint32_t n) {
  if (n > max_spelled)
    throw usage(said("{number} has more than nine digits", {{"number", n}}),
                said("numbers are spelled up to {most}", {{"most", max_spelled}}));
  if (n == 0) return digits[0];
  std::string text;
  bool gap = false;
  for (const Unit& unit : groups) {
    const std::uint32_t group = n / unit.value % 10'000;
    gap = !text.empty() && (gap || group < 1000);
    if (group == 0) continue;
    if (gap) text += digits[0];
    gap = false;
    text += group == 2 && unit.value > 1 ? two_of : spell_group(group);
    text += unit.name;
  }
  const std::string ten = units[2].name, one_ten = digits[1] + ten;
  return text.starts_with(one_ten) ? text.substr(one_ten.size() - ten.size()) : text;
}

std::string chinese_number_characters() {
  std::string text;
  for (const char* digit : digits) text += digit;
  text += two_of;
  for (const Unit& unit : units) text += unit.name;
  for (const Unit& unit : groups) text += unit.name;
  return text;
}

} // namespace tfx
