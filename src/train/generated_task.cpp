#include "train/generated_task.hpp"

#include "model/model_spec.hpp"
#include "train/number_words.hpp"
#include "train/task.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tfx {

namespace {

bool kept_from_training(const std::string& key) {
  return !key.empty() && is_held_out(key);
}

} // namespace

std::vector<Example> GeneratedTask::batch(std::size_t size, std::uint64_t seed, std::uint64_t step) const {
  DataStream stream(RandomStream(seed, stream_number("data"), step));
  std::vector<Example> examples;
  while (examples.size() < size)
    if (DrawnExample drawn = draw(stream); !kept_from_training(drawn.key))
      examples.push_back(std::move(drawn.example));
  return examples;
}

std::vector<Example> GeneratedTask::held_out(std::size_t count) const {
  DataStream stream(RandomStream(0, stream_number("held out"), 0));
  std::vector<Example> examples;
  std::set<std::string> keys;
  // One draw in ten or a little less is wanted: who draws this often in vain has seen them all.
  constexpr std::size_t patience = 10'000;
  for (std::size_t in_vain = 0; examples.size() < count && in_vain < patience; ++in_vain) {
    DrawnExample drawn = draw(stream);
    if (!kept_from_training(drawn.key) || !keys.insert(std::move(drawn.key)).second) continue;
    examples.push_back(std::move(drawn.example));
    in_vain = 0;
  }
  return examples;
}

namespace {

constexpr std::size_t length = 10;
constexpr std::uint32_t first_id = 1;

} // namespace

CopyTask::CopyTask()
    : GeneratedTask({.name = "copy",
                     .src_vocabulary = Vocabulary::of_ids(copy_task_vocabulary),
                     .tgt_vocabulary = Vocabulary::of_ids(copy_task_vocabulary),
                     .start = first_id,
                     .end = std::nullopt,
                     .max_tokens = length,
                     .max_src_tokens = length}) {}

// Both are there before the braces: GCC 12 destroys the members of an aggregate in braces twice where what
// follows it in the braces throws, as a string does that finds no memory.
GeneratedTask::DrawnExample GeneratedTask::drawn(Example example, std::string key) {
  return {std::move(example), std::move(key)};
}

GeneratedTask::DrawnExample CopyTask::draw(DataStream& stream) const {
  TokenIds ids(length, first_id);
  for (std::size_t i = 1; i < length; ++i)
    ids[i] = static_cast<std::uint32_t>(1 + stream.below(copy_task_vocabulary - 1));
  std::string key = src_vocabulary().decode(ids);
  Example example{ids, ids};
  return drawn(std::move(example), std::move(key));
}

namespace {

const std::string letters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::size_t max_length = 10, min_held_out_length = 3;

Vocabulary of_letters() {
  return Vocabulary::of_texts(Tokenizer::characters, {letters}, Vocabulary::Unknown::refused);
}

} // namespace

ReverseTask::ReverseTask()
    : GeneratedTask({.name = "reverse",
                     .src_vocabulary = of_letters(),
                     .tgt_vocabulary = of_letters(),
                     .max_tokens = max_length + 2,
                     .max_src_tokens = max_length}) {}

GeneratedTask::DrawnExample ReverseTask::draw(DataStream& stream) const {
  std::string text(1 + stream.below(max_length), ' ');
  for (char& letter : text) letter = letters[stream.below(letters.size())];
  const TokenIds src = src_vocabulary().encode(text);
  Example example{src, target({src.rbegin(), src.rend()})};
  return drawn(std::move(example), text.size() < min_held_out_length ? "" : text);
}

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
  return drawn(example(n, draw_style(stream)), key_of(n));
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
