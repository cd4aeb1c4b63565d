#include "words/refusals.hpp"

#include "core/resource.hpp"
#include "support/catch.hpp"
#include "words/in_words.hpp"

#include <set>

using namespace tfx;

namespace {

/// Chinese as long as it lives.
struct InChinese {
  InChinese() { set_language(Language::zh); }
  ~InChinese() { set_language(Language::en); }
};

std::set<std::string> names_in(const std::string& text) {
  std::set<std::string> names;
  for (std::size_t open = 0; (open = text.find('{', open)) != std::string::npos; ++open)
    if (const std::size_t close = text.find('}', open); close != std::string::npos)
      names.insert(text.substr(open + 1, close - open - 1));
  return names;
}

} // namespace

TEST_CASE("a refusal is said in the learner's language", "[words]") {
  CHECK(in_learners_language("the file is empty") == "the file is empty");
  const InChinese chinese;
  CHECK(in_learners_language("the file is empty") == "文件是空的");
  CHECK(in_learners_language("x.csv: the file is empty") == "x.csv：文件是空的");
  CHECK(in_learners_language("a: b.csv: line 3, column 2: the cell is empty") ==
        "a: b.csv：第 3 行第 2 列：这一格是空的");
  CHECK(in_learners_language("a.csv: line 1, column 2: \"x\" is not a number: it has a unit") ==
        "a.csv：第 1 行第 2 列：\"x\" 不是数：它带着单位");
  CHECK(in_learners_language("scores[a, b] (indices 0, 1) is NaN: a softmax over it has no answer") ==
        "scores[a, b]（下标 0, 1）是 NaN：对它做 softmax 没有结果");
  CHECK(in_learners_language("cannot open x.npy: No such file or directory") ==
        "打不开 x.npy：没有这个文件或目录");
  CHECK(in_learners_language("Q has shape 2×3, K has shape 4×5: a query and a key need the same width d_k") ==
        "Q 的形状是 2×3，K 的形状是 4×5：查询和键的宽度 d_k 要相同");
  CHECK(in_learners_language("a run of this size needs about 128 TB of memory; 3 GB are free") ==
        "这样大的运行大约需要 128 TB 内存，空闲的有 3 GB");
}

TEST_CASE("what is no refusal stays as it is", "[words]") {
  const InChinese chinese;
  for (const std::string text : {"", ": ", "{", "文件是空的", "the file is not empty", "cannot open : x"})
    CHECK(in_learners_language(text) == text);
  const std::string long_name(100'000, ':');
  CHECK(in_learners_language(long_name) == long_name);
}

TEST_CASE("a translation quotes what its sentence says of the case", "[words]") {
  const Words all = Words::parse(resource("src/words/refusals.zh.md"));
  REQUIRE(all.sections().size() > 300);
  for (const auto& [english, chinese] : all.sections()) {
    INFO(english);
    CHECK_FALSE(chinese.empty());
    for (const std::string& name : names_in(chinese)) CHECK(names_in(english).contains(name));
    for (const std::string& name : names_in(english)) CHECK(names_in(chinese).contains(name));
  }
}
