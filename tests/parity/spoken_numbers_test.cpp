// What the shipped numbers-zh says of the numbers that people say: round ones, small ones, and some of each
// length, each with and without "and". Hyphens make no other tokens.

#include "model/checkpoint.hpp"
#include "model/search.hpp"
#include "model/shipped.hpp"
#include "support/catch.hpp"
#include "text/names.hpp"
#include "train/generated_task.hpp"
#include "train/number_words.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>

using namespace tfx;

namespace {

using Numbers = std::vector<std::uint32_t>;

Numbers of_each_length(std::size_t count) {
  std::mt19937 random(40);
  Numbers all;
  std::uint32_t least = 1;
  for (int digits = 1; digits <= 9; ++digits, least *= 10)
    for (std::size_t i = 0; i < count; ++i)
      all.push_back(std::uniform_int_distribution<std::uint32_t>(least, 10 * least - 1)(random));
  return all;
}

// The numbers that the model says wrongly, with what it says of the first few.
std::string wrong_of(const Numbers& numbers) {
  static const char* other = std::getenv("TFX_NUMBERS_MODEL"); // one that is to be chosen
  static const TensorFile file = other ? TensorFile(other) : shipped_model("numbers-zh");
  static const auto model = load_model<float>(file);
  static const NumbersTask task(NumberDraws::blocks);
  const TaskFacts& facts = task.facts();
  const DecodeLimits limits{facts.start, facts.end, facts.max_tokens - 1};
  std::vector<std::string> wrong;
  for (const auto and_word : {EnglishStyle::And::said, EnglishStyle::And::left_out})
    for (std::size_t begin = 0; begin < numbers.size(); begin += 250) {
      std::vector<TokenIds> sources;
      const std::size_t end = std::min(begin + 250, numbers.size());
      for (std::size_t i = begin; i < end; ++i) {
        sources.push_back(task.example(numbers[i], {and_word, EnglishStyle::Tens::blank}).src);
        REQUIRE(sources.back() == task.example(numbers[i], {and_word, EnglishStyle::Tens::hyphen}).src);
      }
      const std::vector<TokenIds> answers = greedy(model, ragged_batch(sources), limits);
      for (std::size_t i = begin; i < end; ++i) {
        const std::string said = facts.tgt_vocabulary.decode(answers[i - begin]);
        if (said != spell_chinese(numbers[i])) wrong.push_back(std::to_string(numbers[i]) + " → " + said);
      }
    }
  const std::size_t all = wrong.size();
  if (wrong.size() > 8) wrong.resize(8);
  return all == 0 ? "" : std::to_string(all) + " wrong: " + join(wrong, ", ");
}

} // namespace

TEST_CASE("numbers-zh says every round number, those too that no training saw", "[parity][numbers]") {
  CHECK(wrong_of(round_numbers()) == "");
  CHECK(round_numbers().size() == 81 + 999 - 27); // a digit and six to eight zeros is both
  const auto held_out = std::ranges::count_if(round_numbers(), is_held_out_number);
  CHECK(held_out > 70); // a tenth, by their hash
  CHECK(held_out < 140);
}

TEST_CASE("numbers-zh says some of all numbers", "[parity][numbers]") {
  CHECK(wrong_of(of_each_length(60)) == "");
}

TEST_CASE("numbers-zh says 0 to 9,999 and 2,000 numbers of each length", "[parity][numbers][repeats]") {
  Numbers small;
  for (std::uint32_t n = 0; n < 10'000; ++n) small.push_back(n);
  CHECK(wrong_of(small) == "");
  CHECK(wrong_of(of_each_length(2000)) == "");
}
