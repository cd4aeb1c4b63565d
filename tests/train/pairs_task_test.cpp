#include "train/pairs_task.hpp"

#include "core/error.hpp"
#include "io/error_of.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "text/byte_pairs.hpp"

#include <set>

using namespace tfx;
using Words = std::vector<std::string>;

namespace {

std::vector<Pair> numbered_pairs(std::size_t count) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < count; ++i) pairs.push_back({"number " + std::to_string(i), std::to_string(i)});
  return pairs;
}

std::string source_of(const Task& task, const Example& example) {
  return task.src_vocabulary().decode(example.src);
}

} // namespace

TEST_CASE("pairs are split into words where most lines have blanks, into characters otherwise", "[train]") {
  const PairsTask task({{"I love you", "我爱你"}, {"hello", "你好"}, {"good night", "晚安"}}, "p.tsv", {});
  CHECK(task.name() == "pairs");
  CHECK(task.src_vocabulary().tokenizer == Tokenizer::words);
  CHECK(task.tgt_vocabulary().tokenizer == Tokenizer::characters);
  CHECK(task.src_vocabulary().tokens ==
        Words{"<pad>", "<s>", "</s>", "<unk>", "I", "love", "you", "hello", "good", "night"});
  CHECK(task.max_tokens() == 5);
  CHECK(task.facts().max_src_tokens == 3);
  CHECK(task.src_vocabulary().encode("I love night music") == TokenIds{4, 5, 9, 3});
  const PairsTask half({{"a b", "x"}, {"c", "y"}}, "p.tsv", {}); // half is not most
  CHECK(half.src_vocabulary().tokenizer == Tokenizer::characters);
  CHECK(half.src_vocabulary().id_of(" "));
}

TEST_CASE("the way to split a side can be given", "[train]") {
  const std::vector<Pair> pairs{{"I love you", "我爱你"}, {"we ran", "跑"}};
  const PairsTask task(pairs, "p.tsv", {.src_tokens = Tokenizer::characters, .tgt_tokens = Tokenizer::words});
  CHECK(task.src_vocabulary().tokenizer == Tokenizer::characters);
  CHECK(task.tgt_vocabulary().tokenizer == Tokenizer::words);
  CHECK(task.max_tokens() == 3);
  for (const TaskOptions& options :
       {TaskOptions{.src_tokens = Tokenizer::ids}, TaskOptions{.tgt_tokens = Tokenizer::ids}})
    check_error(ErrorKind::usage, "pairs are not read as ids", [&] { PairsTask(pairs, "p.tsv", options); });
}

TEST_CASE("one source in ten is held out, and no batch holds it", "[train]") {
  for (const std::size_t count : {10, 19, 20, 1000}) {
    const PairsTask task(numbered_pairs(count), "p.tsv", {});
    std::set<std::string> kept, seen;
    for (const Example& example : task.held_out(count)) kept.insert(source_of(task, example));
    CHECK(kept.size() == count / 10);
    for (std::uint64_t step = 0; step < 200; ++step)
      for (const Example& example : task.batch(64, 1, step)) seen.insert(source_of(task, example));
    for (const std::string& source : kept) CHECK_FALSE(seen.contains(source));
    CHECK(kept.size() + seen.size() == count); // in 12,800 draws every other one is met
    CHECK(task.held_out(1).size() == 1);
  }
}

TEST_CASE("fewer than ten different sources have nothing held out", "[train]") {
  CHECK(PairsTask(numbered_pairs(9), "p.tsv", {}).held_out(5).empty());
  std::vector<Pair> same(50, {"a", "b"});
  const PairsTask task(same, "p.tsv", {});
  CHECK(task.held_out(5).empty());
  CHECK(task.batch(3, 1, 1).size() == 3);
}

TEST_CASE("a source is held out with all its targets, a pair that stands twice once", "[train]") {
  std::vector<Pair> pairs;
  for (const Pair& pair : numbered_pairs(10)) {
    pairs.push_back(pair);
    pairs.push_back({pair.source, "x" + pair.target});
    pairs.push_back(pair);
  }
  const PairsTask task(pairs, "p.tsv", {});
  const std::vector<Example> kept = task.held_out(100);
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].src == kept[1].src);
  CHECK_FALSE(kept[0].tgt == kept[1].tgt);
  for (const Example& example : task.batch(500, 1, 1)) CHECK_FALSE(example.src == kept[0].src);
}

TEST_CASE("a file of validation is all that is held out", "[train]") {
  const std::vector<Pair> pairs = numbered_pairs(50), validation{{"number 3 here", "3"}, {"number 7", "7 7"}};
  const PairsTask task(pairs, "p.tsv", {.tgt_tokens = Tokenizer::words}, validation);
  CHECK(task.held_out(10).size() == 2);
  CHECK(source_of(task, task.held_out(1)[0]) == "number 3 <unk>"); // its tokens are not learned
  CHECK(task.max_tokens() == 4);                                   // but its targets can be said
  std::set<std::string> seen;
  for (std::uint64_t step = 0; step < 50; ++step)
    for (const Example& example : task.batch(64, 1, step)) seen.insert(source_of(task, example));
  CHECK(seen.size() == 50); // none is kept back
  check_error(ErrorKind::bad_data, "v.tsv: line 1, column 2: 1001 words", [] {
    std::string longest = "a";
    for (int i = 0; i < 1000; ++i) longest += " a";
    PairsTask({{"a b", "c d"}}, "p.tsv", {.validation_file = "v.tsv", .tgt_tokens = Tokenizer::words},
              {{"a", longest}});
  });
}

TEST_CASE("rare tokens of pairs are unknown", "[train]") {
  const PairsTask task({{"a b", "x"}, {"a c", "x"}}, "p.tsv",
                       {.src_tokens = Tokenizer::words, .tgt_tokens = Tokenizer::sentences, .min_count = 2});
  CHECK(task.src_vocabulary().tokens == Words{"<pad>", "<s>", "</s>", "<unk>", "a"});
  CHECK(task.tgt_vocabulary().tokenizer == Tokenizer::sentences);
  CHECK(task.batch(1, 1, 1)[0].src == TokenIds{4, 3});
  check_error(ErrorKind::usage, "no token of one side stands 3 times", [] {
    PairsTask({{"a b", "x"}, {"a c", "x"}}, "p.tsv", {.src_tokens = Tokenizer::words, .min_count = 3});
  });
  check_error(ErrorKind::usage, "no token of one side stands 3 times", [] {
    PairsTask({{"a b a a", "x"}, {"a c", "x"}}, "p.tsv", {.src_tokens = Tokenizer::words, .min_count = 3});
  });
}

TEST_CASE("a batch of pairs is a function of seed and step, and pairs stay together", "[train]") {
  const PairsTask task(numbered_pairs(100), "p.tsv", {}), again(numbered_pairs(100), "q.tsv", {});
  again.batch(7, 3, 3);
  const std::vector<Example> batch = task.batch(32, 5, 6);
  CHECK(again.batch(32, 5, 6) == batch);
  CHECK_FALSE(task.batch(32, 5, 7) == batch);
  CHECK_FALSE(task.batch(32, 6, 6) == batch);
  for (const Example& example : batch) {
    CHECK(example.tgt.front() == task.start());
    CHECK(example.tgt.back() == task.end());
    CHECK(source_of(task, example) ==
          "number " + task.tgt_vocabulary().decode(answer(task.facts(), example.tgt)));
  }
}

TEST_CASE("a side that is too long is refused with its line", "[train]") {
  std::string words = "a";
  for (std::size_t i = 1; i < max_pair_tokens; ++i) words += " a";
  CHECK(PairsTask({{words, words}}, "p.tsv", {}).max_tokens() == max_pair_tokens + 2);
  check_error(ErrorKind::bad_data, "p.tsv: line 2, column 1: 1001 words, a side has at most 1000", [&] {
    PairsTask({{"a b", "c d"}, {words + " a", "c d"}}, "p.tsv", {});
  });
  check_error(ErrorKind::bad_data, "p.tsv: line 1, column 2: 1001 characters, a side has at most 1000", [&] {
    PairsTask({{"a", std::string(1001, 'x')}}, "p.tsv", {});
  });
  TaskOptions bytes;
  bytes.tgt_tokens = Tokenizer::bpe;
  bytes.tgt_byte_pairs = std::make_shared<BytePairs>(std::vector<Merge>{{"x", "x"}});
  CHECK(PairsTask({{"a", std::string(2000, 'x')}}, "p.tsv", bytes).max_tokens() == max_pair_tokens + 2);
  check_error(ErrorKind::bad_data, "p.tsv: line 1, column 2: 1001 tokens, a side has at most 1000", [&] {
    PairsTask({{"a", std::string(2001, 'x')}}, "p.tsv", bytes);
  });
}

TEST_CASE("a text with the name of a special token does not become it", "[train]") {
  const PairsTask task({{"the <s> tag", "the </s> <pad> tag"}}, "p.tsv", {});
  CHECK(task.batch(1, 1, 1)[0] == Example{{4, 3, 5}, {1, 4, 3, 3, 5, 2}});
}

TEST_CASE("the task pairs reads its file, and shuffles it for the control run", "[train]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("pairs.tsv", "one two\t一二\ntwo one\t二一\n");
  const auto task = make_task("pairs", {.pairs_file = path});
  CHECK(task->name() == "pairs");
  CHECK(task->tgt_vocabulary().tokens == Words{"<pad>", "<s>", "</s>", "<unk>", "一", "二"});
  CHECK(make_task("pairs", {.pairs_file = path, .targets = Targets::shuffled})->batch(4, 1, 1).size() == 4);
  const std::string bad = folder.write("bad.tsv", "one two\n");
  check_error(ErrorKind::bad_data, bad + ": line 1, column 1: no TAB",
              [&] { make_task("pairs", {.pairs_file = bad}); });
}
