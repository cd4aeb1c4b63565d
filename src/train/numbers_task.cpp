#include "train/numbers_task.hpp"

#include "train/chinese.hpp"
#include "train/english.hpp"

namespace tfx {

namespace {

constexpr std::size_t max_digits = 9;
constexpr std::uint32_t min_held_out_number = 100;
// 九亿八千七百六十五万四千三百二十一: thousands, hundreds and tens with their units in two groups, the ones
// of three
constexpr std::size_t max_numeral_length = 2 * 3 * 2 + 3 + 2; // and 亿, 万

std::uint32_t draw_number(DataStream& stream) {
  const std::size_t digits = 1 + stream.below(max_digits);
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
                     .max_tokens = max_numeral_length + 2}) {}

GeneratedTask::DrawnExample NumbersTask::draw(DataStream& stream) const {
  const std::uint32_t n = draw_number(stream);
  const std::string english = spell_english(n, draw_style(stream));
  return {{src_vocabulary().encode(english), target(tgt_vocabulary().encode(spell_chinese(n)))},
          n < min_held_out_number ? "" : std::to_string(n)};
}

} // namespace tfx
