#include "train/numbers_task.hpp"

#include "train/chinese.hpp"
#include "train/english.hpp"

namespace tfx {

namespace {

constexpr std::size_t most_digits = 9;
constexpr std::uint32_t smallest_held_out = 100;
// 一亿一千一百一十一万一千一百一十一 and its like: a digit with its unit at each place, the ones without, 亿
// and 万
constexpr std::size_t longest_numeral = 7 * 2 + 2 + 1;

std::uint32_t draw_number(DataStream& stream) {
  const std::size_t digits = 1 + stream.below(most_digits);
  std::size_t n = digits == 1 ? stream.below(10) : 1 + stream.below(9);
  for (std::size_t place = 1; place < digits; ++place) n = 10 * n + stream.below(10);
  return static_cast<std::uint32_t>(n);
}

EnglishStyle draw_style(DataStream& stream) {
  return {stream.below(2) == 0 ? EnglishStyle::And::said : EnglishStyle::And::left_out,
          stream.below(2) == 0 ? EnglishStyle::Tens::hyphen : EnglishStyle::Tens::blank};
}

} // namespace

NumbersTask::NumbersTask()
    : GeneratedTask({.name = "numbers-zh",
                     .src_vocabulary = Vocabulary::of_texts(Tokenizer::words, english_number_words(),
                                                            Vocabulary::Unknown::refused),
                     .tgt_vocabulary = Vocabulary::of_texts(
                         Tokenizer::characters, {chinese_number_characters()}, Vocabulary::Unknown::refused),
                     .max_tokens = longest_numeral + 2}) {}

GeneratedTask::Drawn NumbersTask::draw(DataStream& stream) const {
  const std::uint32_t n = draw_number(stream);
  const std::string english = spell_english(n, draw_style(stream));
  return {{src_vocabulary().encode(english), target(tgt_vocabulary().encode(spell_chinese(n)))},
          n < smallest_held_out ? "" : std::to_string(n)};
}

} // namespace tfx
