#include "course/answer.hpp"

#include "support/catch.hpp"

#include <limits>

namespace tfx {

namespace {

bool is_right(const Answer& answer, const std::string& typed) {
  return judge(answer, typed) == Verdict::right;
}

} // namespace

TEST_CASE("a number is right as far as it was written, at least 1 % sharp", "[course][answer]") {
  const Answer two_thirds = NumberAnswer{2.0 / 3, 4};
  for (const char* typed : {"0.67", "0.667", "0.6667", "0.666666", "2/3", "67 %", "66.7%", "0.6666"})
    CHECK(is_right(two_thirds, typed));
  for (const char* typed : {"0.7", "0.66", "0.68", "0.6669", "-0.67", "67", "66 %", "3/4", "0.665", "1"})
    CHECK(judge(two_thirds, typed) == Verdict::wrong);
  CHECK(judge(two_thirds, "many") == Verdict::unreadable);

  const Answer ten = NumberAnswer{10, 4};
  CHECK(is_right(ten, "10"));
  CHECK(is_right(ten, "10.0"));
  for (const char* typed : {"9", "11", "10.1", "10.06", "-10", "9.99"})
    CHECK(judge(ten, typed) == Verdict::wrong);
}

TEST_CASE("a small number is not 0, and a large one not its neighbour", "[course][answer]") {
  CHECK(is_right(NumberAnswer{0.0003, 4}, "0.0003"));
  CHECK(is_right(NumberAnswer{0.0003, 4}, "3e-4"));
  CHECK_FALSE(is_right(NumberAnswer{0.0003, 4}, "0"));
  CHECK_FALSE(is_right(NumberAnswer{0.0003, 4}, "0.0004"));
  CHECK(is_right(NumberAnswer{3.2e-6, 4}, "3.2e-06"));
  CHECK_FALSE(is_right(NumberAnswer{3.2e-6, 4}, "0"));
  CHECK_FALSE(is_right(NumberAnswer{3.2e-6, 4}, "3.4e-06"));
  CHECK(is_right(NumberAnswer{0, 4}, "0"));
  CHECK_FALSE(is_right(NumberAnswer{0, 4}, "0.001"));
  CHECK(is_right(NumberAnswer{12345, 4}, "12345"));
  CHECK_FALSE(is_right(NumberAnswer{12345, 4}, "12346"));
}

TEST_CASE("what may not be seen is minus infinity and nothing else", "[course][answer]") {
  const Answer blocked = NumberAnswer{-std::numeric_limits<double>::infinity(), 4};
  CHECK(is_right(blocked, "-inf"));
  CHECK(is_right(blocked, "−∞"));
  for (const char* typed : {"0", "inf", "-1e9", "-1000000000"})
    CHECK(judge(blocked, typed) == Verdict::wrong);
}

TEST_CASE("counts are exact, with or without separators", "[course][answer]") {
  const Answer count = CountAnswer{1234};
  CHECK(is_right(count, "1234"));
  CHECK(is_right(count, "1,234"));
  CHECK(is_right(count, "１２３４"));
  for (const char* typed : {"1235", "1.234", "1233.6"}) CHECK(judge(count, typed) == Verdict::wrong);
}

TEST_CASE("shapes, masks and words have their own notations", "[course][answer]") {
  const Answer shape = ShapeAnswer{{4, 3}};
  CHECK(is_right(shape, "4×3"));
  CHECK(judge(shape, "3x4") == Verdict::wrong);
  CHECK(judge(shape, "12") == Verdict::wrong);
  CHECK(judge(shape, "wide") == Verdict::unreadable);

  for (const char* typed : {"1", "yes", "True", "是"}) CHECK(is_right(MaskAnswer{true}, typed));
  for (const char* typed : {"0", "no", "FALSE", "否", "０"}) CHECK(is_right(MaskAnswer{false}, typed));
  CHECK(judge(MaskAnswer{true}, "0") == Verdict::wrong);
  CHECK(judge(MaskAnswer{true}, "2") == Verdict::unreadable);

  const Answer word = WordAnswer{{"<BOS>", "I", "like", "I"}, 4, {1}};
  CHECK(is_right(word, "i"));
  CHECK(is_right(word, "1"));
  CHECK(judge(word, "like") == Verdict::wrong);
  CHECK(judge(word, "3") == Verdict::wrong); // the other "I"
  CHECK(judge(word, "4") == Verdict::unreadable);
  CHECK(judge(word, "you") == Verdict::unreadable);
  CHECK(judge(WordAnswer{{"The", "the"}, 2, {0}}, "the") == Verdict::wrong);
  CHECK(is_right(WordAnswer{{"1", "2", "1"}, 3, {1}}, "2")); // a label before an index
  CHECK(is_right(WordAnswer{{}, 3, {2}}, "2"));
  CHECK(text_of(WordAnswer{{"the", "cat", "the"}, 3, {0, 2}}) == "the");
}

} // namespace tfx
