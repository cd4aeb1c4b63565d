#pragma once
// Numbers in English words and in Chinese numerals: 305 → "three hundred and five", 三百零五. A number has
// one Chinese spelling, so that an answer is right or wrong: 零 once for a gap (一千零五, 一万零一十,
// 一亿零五千), 十 without 一 only at the very beginning (十五, but 一百一十五), 两 before 千, and before 万
// and 亿 where it is all that they count (两千, 三万两千), 二 elsewhere (二百, 十二万). docs/training.md has
// all the rules.

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

/// Throws Error(usage) above max_spelled (train/number_words.hpp).
std::string spell_chinese(std::uint32_t n);

/// Every character of it once.
std::string chinese_number_characters();

} // namespace tfx
