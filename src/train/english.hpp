#pragma once
// Numbers in English words: 305 → "three hundred and five". The rules stand in docs/training.md.

#include <cstdint>
#include <string>
#include <vector>

namespace tfx {

/// The largest number that is spelled, in English and in Chinese: nine digits.
constexpr std::uint32_t max_spelled = 999'999'999;

struct EnglishStyle {
  enum class And { said, left_out } and_word = And::said; ///< "three hundred and five", "three hundred five"
  enum class Tens { hyphen, blank } tens = Tens::hyphen;  ///< "twenty-one", "twenty one"
};

/// Throws Error(usage) above max_spelled.
std::string spell_english(std::uint32_t n, const EnglishStyle& style = {});

/// Every word of it once, hyphens taken as blanks, "and" included.
const std::vector<std::string>& english_number_words();

} // namespace tfx
