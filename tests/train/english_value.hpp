#pragma once
// Number words read back, for the tests of those who write them.

#include "text/tokens.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace tfx {

/// What English number words count, by a dictionary of its own.
inline std::uint64_t english_value(std::string english) {
  std::replace(english.begin(), english.end(), '-', ' ');
  static const std::map<std::string, std::uint64_t> words{
      {"zero", 0},     {"one", 1},      {"two", 2},        {"three", 3},     {"four", 4},
      {"five", 5},     {"six", 6},      {"seven", 7},      {"eight", 8},     {"nine", 9},
      {"ten", 10},     {"eleven", 11},  {"twelve", 12},    {"thirteen", 13}, {"fourteen", 14},
      {"fifteen", 15}, {"sixteen", 16}, {"seventeen", 17}, {"eighteen", 18}, {"nineteen", 19},
      {"twenty", 20},  {"thirty", 30},  {"forty", 40},     {"fifty", 50},    {"sixty", 60},
      {"seventy", 70}, {"eighty", 80},  {"ninety", 90}};
  std::uint64_t total = 0, group = 0;
  for (const std::string& word : split_at_white_space(english)) {
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

} // namespace tfx
