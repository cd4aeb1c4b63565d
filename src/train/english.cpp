#include "train/english.hpp"

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

} // namespace tfx
