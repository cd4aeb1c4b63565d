#include "train/numbers_task.hpp"

#include "train/chinese.hpp"
#include "train/held_out.hpp"

#include <algorithm>
#include <set>

namespace tfx {

namespace {

constexpr std::size_t max_digits = 9;
constexpr std::uint32_t min_held_out_number = 100;
// 九亿八千七百六十五万四千三百二十一: thousands, hundreds and tens with their units in two groups, the ones
// of three
constexpr std::size_t max_numeral_length = 2 * 3 * 2 + 3 + 2; // and 亿, 万
// seven hundred and seventy-seven, three times, with million and thousand
constexpr std::size_t max_spelled_length = 3 * 5 + 2;

using Digits = std::vector<std::size_t>; // the highest first

Digits draw_digits(DataStream& stream) {
  Digits digits(1 + stream.below(max_digits));
  digits[0] = digits.size() == 1 ? stream.below(10) : 1 + stream.below(9);
  for (std::size_t place = 1; place < digits.size(); ++place) digits[place] = stream.below(10);
  return digits;
}

// Zeros from one place to another, behind the first digit.
void clear_block(Digits& digits, DataStream& stream) {
  const std::size_t first = 1 + stream.below(digits.size() - 1),
                    count = 1 + stream.below(digits.size() - first);
  std::fill_n(digits.begin() + static_cast<std::ptrdiff_t>(first), count, 0);
}

void make_zeros(Digits& digits, DataStream& stream) {
  if (digits.size() == 1) return;
  const std::size_t kind = stream.below(4);
  if (kind == 0) { // round
    const std::size_t kept = 1 + stream.below(std::min<std::size_t>(3, digits.size() - 1));
    std::fill(digits.begin() + static_cast<std::ptrdiff_t>(kept), digits.end(), 0);
  } else if (kind == 1) {
    for (std::size_t blocks = 1 + stream.below(2); blocks > 0; --blocks) clear_block(digits, stream);
  }
}

std::uint32_t draw_number(DataStream& stream, NumberDraws draws) {
  Digits digits = draw_digits(stream);
  if (draws == NumberDraws::blocks) make_zeros(digits, stream);
  std::size_t n = 0;
  for (const std::size_t digit : digits) n = 10 * n + digit;
  return static_cast<std::uint32_t>(n);
}

// Empty: never held out.
std::string key_of(std::uint32_t n) {
  return n < min_held_out_number ? "" : std::to_string(n);
}

EnglishStyle draw_style(DataStream& stream) {
  return {stream.below(2) == 0 ? EnglishStyle::And::said : EnglishStyle::And::left_out,
          stream.below(2) == 0 ? EnglishStyle::Tens::hyphen : EnglishStyle::Tens::blank};
}

} // namespace

NumbersTask::NumbersTask(NumberDraws draws)
    : GeneratedTask({.name = "numbers-zh",
                     .src_vocabulary = Vocabulary::of_texts(Tokenizer::words, english_number_words(),
                                                            Vocabulary::Unknown::refused),
                     .tgt_vocabulary = Vocabulary::of_texts(
                         Tokenizer::characters, {chinese_number_characters()}, Vocabulary::Unknown::refused),
                     .max_tokens = max_numeral_length + 2,
                     .max_src_tokens = max_spelled_length}),
      draws_(draws) {}

GeneratedTask::DrawnExample NumbersTask::draw(DataStream& stream) const {
  const std::uint32_t n = draw_number(stream, draws_);
  return {example(n, draw_style(stream)), key_of(n)};
}

Example NumbersTask::example(std::uint32_t n, const EnglishStyle& style) const {
  return {src_vocabulary().encode(spell_english(n, style)),
          target(tgt_vocabulary().encode(spell_chinese(n)))};
}

std::vector<std::uint32_t> round_numbers() {
  std::set<std::uint32_t> all;
  for (std::uint32_t power = 1; power <= 100'000'000; power *= 10)
    for (std::uint32_t digit = 1; digit < 10; ++digit) all.insert(digit * power);
  for (std::uint32_t n = 1; n < 1000; ++n) all.insert(n * 1'000'000);
  return {all.begin(), all.end()};
}

bool is_held_out_number(std::uint32_t n) {
  return !key_of(n).empty() && is_held_out(key_of(n));
}

} // namespace tfx
