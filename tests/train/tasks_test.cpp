// What holds for every task, and the law of each.
#include "core/error.hpp"
#include "english_value.hpp"
#include "io/error_of.hpp"
#include "support/catch.hpp"
#include "text/utf8.hpp"
#include "train/number_words.hpp"
#include "train/task.hpp"
#include "train/training_config.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

using namespace tfx;

namespace {

const std::array<const char*, 3> generated{"copy", "reverse", "numbers-zh"};

std::vector<Example> drawn(const Task& task, std::size_t batches, std::size_t size = 100) {
  std::vector<Example> all;
  for (std::size_t step = 0; step < batches; ++step)
    for (Example& example : task.batch(size, 7, step)) all.push_back(std::move(example));
  return all;
}

std::string answer_text(const Task& task, const Example& example) {
  return task.tgt_vocabulary().decode(answer(task.facts(), example.tgt));
}

// χ² of counts that should all be as large.
double chi_squared(const std::vector<std::size_t>& counts) {
  double total = 0, sum = 0;
  for (const std::size_t count : counts) total += static_cast<double>(count);
  const double wanted = total / static_cast<double>(counts.size());
  for (const std::size_t count : counts)
    sum += (static_cast<double>(count) - wanted) * (static_cast<double>(count) - wanted) / wanted;
  return sum;
}

} // namespace

TEST_CASE("a batch is a function of its seed and its step", "[train]") {
  for (const char* name : generated) {
    INFO(name);
    const auto task = make_task(name), same = make_task(name);
    CHECK(task->name() == name);
    const std::vector<Example> batch = task->batch(50, 3, 1000);
    REQUIRE(batch.size() == 50);
    same->batch(20, 3, 999);
    same->held_out(5);
    CHECK(same->batch(50, 3, 1000) == batch);
    for (const std::uint64_t step : {0ULL, 1ULL, 1001ULL, 1000 + (1ULL << 32)})
      CHECK_FALSE(task->batch(50, 3, step) == batch);
    CHECK_FALSE(task->batch(50, 4, 1000) == batch);
    CHECK_FALSE(task->batch(50, 3 + (1ULL << 32), 1000) == batch);
    const std::vector<Example> larger = task->batch(80, 3, 1000);
    CHECK(std::equal(batch.begin(), batch.end(), larger.begin()));
    CHECK(task->batch(0, 3, 1000).empty());
  }
}

TEST_CASE("what is held out is never drawn, whatever the seed", "[train]") {
  for (const char* name : generated) {
    INFO(name);
    const auto task = make_task(name);
    std::set<std::string> kept;
    for (const Example& example : task->held_out(2000)) kept.insert(answer_text(*task, example));
    CHECK(kept.size() == 2000); // each another
    for (std::uint64_t seed = 0; seed < 4; ++seed)
      for (std::uint64_t step = 0; step < 50; ++step)
        for (const Example& example : task->batch(100, seed, step))
          REQUIRE_FALSE(kept.contains(answer_text(*task, example)));
  }
}

TEST_CASE("what is held out is always the same, a few of it the beginning of many", "[train]") {
  for (const char* name : generated) {
    INFO(name);
    const std::vector<Example> many = make_task(name)->held_out(300), few = make_task(name)->held_out(100);
    CHECK(few.size() == 100);
    CHECK(std::equal(few.begin(), few.end(), many.begin()));
  }
}

TEST_CASE("one key in ten is held out", "[train]") {
  std::size_t count = 0;
  for (int i = 0; i < 100'000; ++i) count += is_held_out(std::to_string(i));
  CHECK(count > 9700);
  CHECK(count < 10'300); // three standard deviations: 285
  std::vector<std::size_t> tenths(10);
  for (int i = 0; i < 10'000; ++i)
    ++tenths[static_cast<std::size_t>(10 * held_out_place("a" + std::to_string(i)))];
  CHECK(chi_squared(tenths) < 27.9); // 9 degrees of freedom, one in a thousand
}

TEST_CASE("sources and targets are ids of their vocabularies, targets with their start and end", "[train]") {
  for (const char* name : generated) {
    INFO(name);
    const auto task = make_task(name);
    std::size_t longest = 0, longest_src = 0;
    for (const Example& example : drawn(*task, 50)) {
      longest = std::max(longest, example.tgt.size());
      longest_src = std::max(longest_src, example.src.size());
      REQUIRE(example.tgt.front() == task->start());
      if (task->end()) REQUIRE(example.tgt.back() == task->end());
      for (const std::uint32_t id : example.src)
        REQUIRE((id != task->pad() && id < task->src_vocabulary().size()));
      for (const std::uint32_t id : example.tgt)
        REQUIRE((id != task->pad() && id < task->tgt_vocabulary().size()));
    }
    CHECK(longest == task->max_tokens());
    CHECK(longest_src == task->facts().max_src_tokens);
  }
}

TEST_CASE("copy draws ten ids, the first 1, the others evenly from 1 to 10", "[train]") {
  const auto task = make_task("copy");
  CHECK(task->src_vocabulary().size() == 11);
  CHECK(task->tgt_vocabulary().tokenizer == Tokenizer::ids);
  CHECK(task->start() == 1);
  CHECK(task->end() == std::nullopt);
  CHECK(task->max_tokens() == 10);
  std::vector<std::vector<std::size_t>> counts(10, std::vector<std::size_t>(10));
  for (const Example& example : drawn(*task, 100)) {
    REQUIRE(example.src.size() == 10);
    REQUIRE(example.tgt == example.src);
    REQUIRE(answer(task->facts(), example.tgt) == TokenIds(example.src.begin() + 1, example.src.end()));
    for (std::size_t place = 0; place < 10; ++place) ++counts[place].at(example.src[place] - 1);
  }
  CHECK(counts[0][0] == 10'000);
  for (std::size_t place = 1; place < 10; ++place) CHECK(chi_squared(counts[place]) < 27.9);
}

TEST_CASE("reverse turns one to ten letters around", "[train]") {
  const auto task = make_task("reverse");
  std::vector<std::size_t> lengths(10), letters(26);
  for (const Example& example : drawn(*task, 200)) {
    const TokenIds answered = answer(task->facts(), example.tgt);
    REQUIRE(answered == TokenIds(example.src.rbegin(), example.src.rend()));
    ++lengths.at(example.src.size() - 1);
    const std::string text = task->src_vocabulary().decode(example.src);
    for (const char letter : text) ++letters.at(static_cast<std::size_t>(letter - 'a'));
    if (text.size() > 2) REQUIRE_FALSE(is_held_out(text));
  }
  CHECK(chi_squared(letters) < 52.6); // 25 degrees of freedom, one in a thousand
  // One in ten of length three and more is drawn again: two parts in ten are 1, eight are 0.9.
  CHECK(lengths[0] == Approx(20'000 / 9.2).epsilon(0.1));
  for (std::size_t n = 2; n < 10; ++n) CHECK(lengths[n] == Approx(20'000 * 0.9 / 9.2).epsilon(0.1));
  for (const Example& example : task->held_out(500)) CHECK(example.src.size() >= 3);
  CHECK(task->src_vocabulary().encode("Hello") == task->src_vocabulary().encode("hello"));
  check_error(ErrorKind::usage, "\"3\" is not in the vocabulary",
              [&] { task->src_vocabulary().encode("h3llo"); });
}

TEST_CASE("numbers-zh by its first rule draws every digit by itself, and half of them with and", "[train]") {
  const auto task = make_task("numbers-zh", {.draws = NumberDraws::digits});
  std::vector<std::size_t> digits(9), first(9), last(10);
  std::size_t with_and = 0, without = 0;
  std::set<std::uint64_t> small;
  for (const Example& example : drawn(*task, 400)) {
    const std::string english = task->src_vocabulary().decode(example.src);
    const std::uint64_t n = english_value(english);
    const std::string written = std::to_string(n);
    ++digits.at(written.size() - 1);
    if (n < 100) small.insert(n);
    if (n < 1000) continue; // from here on the ones held out do not matter for a digit
    ++first.at(static_cast<std::size_t>(written.front() - '1'));
    ++last.at(n % 10);
    if (n % 1000 > 0 && n % 1000 < 100) ++(english.find(" and ") == english.npos ? without : with_and);
  }
  // A number of three or more digits is drawn again one time in ten: of 8.3 parts two are 1, seven are 0.9.
  for (std::size_t d = 0; d < 9; ++d)
    CHECK(digits[d] == Approx(40'000 * (d < 2 ? 1 : 0.9) / 8.3).epsilon(0.06));
  CHECK(chi_squared(first) < 26.1); // 8 degrees of freedom, one in a thousand
  CHECK(chi_squared(last) < 27.9);
  CHECK(small.size() == 100);
  CHECK(with_and == Approx(without).epsilon(0.15));
}

// As files of the first rule resume: the ids of its first batch, added up in their order.
TEST_CASE("the first rule's batches are what they were", "[train]") {
  const auto task = make_task("numbers-zh", {.draws = NumberDraws::digits});
  std::uint64_t sum = 0;
  for (const Example& example : task->batch(50, 3, 1000))
    for (const TokenIds* ids : {&example.src, &example.tgt})
      for (const std::uint32_t id : *ids) sum = 31 * sum + id;
  CHECK(sum == 298'665'063'670'083'771ULL);
}

TEST_CASE("numbers-zh draws zeros in blocks, and round numbers", "[train]") {
  const auto task = make_task("numbers-zh");
  std::vector<std::size_t> digits(9);
  std::size_t large = 0, round = 0, zeros = 0, whole_millions = 0;
  for (const Example& example : drawn(*task, 400)) {
    const std::uint64_t n = english_value(task->src_vocabulary().decode(example.src));
    const std::string written = std::to_string(n);
    ++digits.at(written.size() - 1);
    if (written.size() < 7) continue;
    ++large;
    round += written.find_last_not_of('0') < 3;
    zeros += written.find("00") != written.npos;
    whole_millions += n % 1'000'000 == 0;
  }
  for (std::size_t d = 0; d < 9; ++d)
    CHECK(digits[d] == Approx(40'000 * (d < 2 ? 1 : 0.9) / 8.3).epsilon(0.08));
  const auto share = [&](std::size_t count) {
    return static_cast<double>(count) / static_cast<double>(large);
  };
  CHECK(share(round) ==
        Approx(0.3).margin(0.02)); // a quarter on purpose, and a fifth of the blocks reach the end
  CHECK(share(zeros) > 0.4);
  CHECK(share(whole_millions) > 0.2);
}

TEST_CASE("a checkpoint keeps its rule of drawing, and one that says none has the first", "[train]") {
  TrainingConfig config = training_config_for("numbers-zh", "tiny");
  auto metadata = metadata_of(config);
  CHECK(metadata.at("train.draws") == "blocks");
  metadata["task"] = "numbers-zh";
  CHECK(training_config_of(metadata, config.model, "file").draws == NumberDraws::blocks);
  metadata.erase("train.draws");
  CHECK(training_config_of(metadata, config.model, "file").draws == NumberDraws::digits);
  metadata["train.draws"] = "dice";
  check_error(ErrorKind::bad_data, "train.draws",
              [&] { training_config_of(metadata, config.model, "file"); });
  CHECK_FALSE(metadata_of(training_config_for("reverse", "tiny")).contains("train.draws"));
}

TEST_CASE("numbers-zh pairs a number's English with its Chinese", "[train]") {
  const auto task = make_task("numbers-zh");
  const Vocabulary &src = task->src_vocabulary(), &tgt = task->tgt_vocabulary();
  CHECK(src.tokenizer == Tokenizer::words);
  CHECK(tgt.tokenizer == Tokenizer::characters);
  // Every number that may be drawn and is small enough to go through all of them, in both styles that differ
  // in tokens
  std::map<TokenIds, std::string> chinese_of;
  for (std::uint32_t n = 0; n < 10'000; ++n)
    for (const auto and_word : {EnglishStyle::And::said, EnglishStyle::And::left_out})
      chinese_of[src.encode(spell_english(n, {and_word, EnglishStyle::Tens::hyphen}))] = spell_chinese(n);
  std::size_t known = 0, held_out = 0;
  for (const Example& example : drawn(*task, 100)) {
    const auto found = chinese_of.find(example.src);
    if (found == chinese_of.end()) continue;
    ++known;
    REQUIRE(answer_text(*task, example) == found->second);
  }
  CHECK(known > 3000);
  for (const Example& example : task->held_out(1000)) {
    const auto found = chinese_of.find(example.src);
    if (found == chinese_of.end()) continue;
    ++held_out;
    CHECK(answer_text(*task, example) == found->second);
    CHECK(example.src.size() > 1); // three digits and more
  }
  CHECK(held_out > 100);
  CHECK(src.encode("Twenty one") == src.encode("twenty-one"));
  CHECK(check_error(ErrorKind::usage, "\"fourty\" is not", [&] { src.encode("fourty two"); })
            .hint()
            .in_english() == "did you mean \"forty\"?");
}

TEST_CASE("a task is found by its name, a near miss suggested", "[train]") {
  CHECK(task_names() == std::vector<std::string>{"copy", "reverse", "numbers-zh", "pairs", "corpus"});
  CHECK(check_error(ErrorKind::usage, "no task is called \"revers\"", [] { make_task("revers"); })
            .hint()
            .in_english() == "did you mean reverse?");
  CHECK(check_error(ErrorKind::usage, "no task is called \"\\x1b[1m\"", [] { make_task("\x1b[1m"); })
            .hint()
            .in_english() == "the tasks are copy, reverse, numbers-zh, pairs, corpus");
  TaskOptions options;
  options.src_tokens = Tokenizer::words;
  check_error(ErrorKind::usage, "the task copy has tokens of its own", [&] { make_task("copy", options); });
  options = {.pairs_file = "pairs.tsv"};
  check_error(ErrorKind::usage, "the task reverse takes no file of pairs",
              [&] { make_task("reverse", options); });
  check_error(ErrorKind::usage, "the task pairs needs a file", [] { make_task("pairs"); });
  check_error(ErrorKind::no_input, "nowhere.tsv", [] { make_task("pairs", {.pairs_file = "/nowhere.tsv"}); });
}

TEST_CASE("an answer stands between start and end", "[train]") {
  const auto reverse = make_task("reverse"), copy = make_task("copy");
  CHECK(target({5, 6}) == TokenIds{1, 5, 6, 2});
  CHECK(answer(reverse->facts(), {1, 5, 6, 2}) == TokenIds{5, 6});
  CHECK(answer(reverse->facts(), {1, 5, 6}) == TokenIds{5, 6}); // decoding was cut off
  CHECK(answer(copy->facts(), {1, 5, 2}) == TokenIds{5, 2});    // 2 is an id like any other
  CHECK(answer(reverse->facts(), {}).empty());
}
