#include "course/quiz.hpp"

#include "support/catch.hpp"

#include <algorithm>

using namespace tfx;

TEST_CASE("a quiz asks as often as it was told, the same with the same seed, and judges", "[course][quiz]") {
  std::vector<std::string> notes;
  Quiz quiz = make_quiz("scores", {}, 7, 3, 4, notes), again = make_quiz("scores", {}, 7, 3, 4, notes);
  REQUIRE(quiz.items.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(quiz.items[i].lesson->command == "scores");
    CHECK(text_of(quiz.items[i].question.answer) == text_of(again.items[i].question.answer));
  }
  answer(quiz.items[0], text_of(quiz.items[0].question.answer));
  answer(quiz.items[1], "no answer");
  answer(quiz.items[2], " ");
  CHECK(quiz.items[0].verdict == Verdict::right);
  CHECK(quiz.items[1].verdict != Verdict::right);
  CHECK_FALSE(quiz.items[2].verdict); // left out
  CHECK(quiz.right() == 1);
}

TEST_CASE("a quiz of no lesson asks of several", "[course][quiz]") {
  std::vector<std::string> notes;
  const Quiz quiz = make_quiz({}, {}, 1, 12, 4, notes);
  CHECK(quiz.items.size() == 12);
  CHECK(std::ranges::any_of(quiz.items,
                            [&](const QuizItem& one) { return one.lesson != quiz.items[0].lesson; }));
}
