// Questions that ask for thought: each computed answer beside the lesson run again, by its own function.

#include "course/idea.hpp"
#include "input/options.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace tfx;

namespace {

const WordAnswer& parts_of(const Question& question) {
  return std::get<WordAnswer>(question.answer);
}

// The lesson's own function, its input's tensor twice as large; nothing where it is no input.
std::optional<Trace> run_with_doubled(const Lesson& lesson, const std::string& tensor) {
  LessonInput input = resolve_input({}, lesson);
  for (Step& step : input.given.steps)
    if (step.name == tensor && step.operation.is(op::given)) {
      for (double& x : step.value.data) x *= 2;
      return lesson.run(input);
    }
  return std::nullopt;
}

// How many times as large every cell is; NaN: not one number.
double times(const Tensor& before, const Tensor& after) {
  for (const double factor : {1.0, 2.0}) {
    bool all = true;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double wanted = factor * before.data[i];
      all = all && (wanted == after.data[i] ||
                    std::abs(wanted - after.data[i]) < 1e-8 * std::max(1.0, std::abs(wanted)));
    }
    if (all) return factor;
  }
  return std::nan("");
}

} // namespace

TEST_CASE("the next seed asks other ideas", "[course]") {
  for (const char* command : {"softmax", "attention", "masked", "multihead", "block", "loss"}) {
    const Lesson& lesson = find_lesson(command);
    const Trace run = run_lesson(lesson, {}).trace;
    std::set<std::string> asked;
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      for (const Question& question : idea_questions(lesson, run, seed, 2, 4))
        asked.insert(std::string(name_of(question.kind)) + question.tensor + text_of(question.answer));
    INFO(command);
    CHECK(asked.size() >= std::min<std::size_t>(8, idea_questions(lesson, run, 1, 100, 4).size())); // or all
  }
}

TEST_CASE("an idea has three or four parts, one of them right, and none is asked twice", "[course]") {
  std::map<Question::Kind, std::size_t> kinds;
  for (const Lesson& lesson : page_lessons()) {
    const Trace run = run_lesson(lesson, {}).trace;
    const std::vector<Question> asked = idea_questions(lesson, run, 5, 100, 4);
    INFO(lesson.command);
    std::set<std::string> seen;
    for (const Question& question : asked) {
      const WordAnswer& parts = parts_of(question);
      ++kinds[question.kind];
      CHECK((parts.count >= 3 && parts.count <= 4));
      CHECK(parts.labels.size() == parts.count);
      CHECK(parts.right.size() == 1);
      CHECK(question.measured.size() == parts.count);
      CHECK(std::set<std::string>(parts.labels.begin(), parts.labels.end()).size() == parts.count);
      CHECK(seen.insert(std::string(name_of(question.kind)) + question.tensor + text_of(question.answer))
                .second);
    }
    const std::vector<Question> again = idea_questions(lesson, run, 5, 100, 4);
    REQUIRE(again.size() == asked.size());
    for (std::size_t i = 0; i < asked.size(); ++i)
      CHECK(parts_of(again[i]).labels == parts_of(asked[i]).labels);
    CHECK(idea_questions(lesson, run, 5, 2, 4).size() == std::min<std::size_t>(2, asked.size()));
  }
  CHECK(kinds[Question::Kind::mistake] > 50);
  CHECK(kinds[Question::Kind::doubled] > 20);
  CHECK(kinds[Question::Kind::unmoved] > 20);
  CHECK(kinds[Question::Kind::unseen] > 5);
}

TEST_CASE("what a doubled input doubles and leaves is what the lesson itself makes of it", "[course]") {
  std::size_t compared = 0;
  for (const Lesson& lesson : page_lessons()) {
    const Trace run = run_lesson(lesson, {}).trace;
    for (const Question& question : idea_questions(lesson, run, 11, 100, 4)) {
      if (question.kind != Question::Kind::doubled && question.kind != Question::Kind::unmoved) continue;
      const std::optional<Trace> after = run_with_doubled(lesson, question.tensor);
      if (!after) continue; // computed in the lesson
      INFO(lesson.command << ": " << name_of(question.kind) << " " << question.tensor);
      const WordAnswer& parts = parts_of(question);
      const double wanted = question.kind == Question::Kind::doubled ? 2 : 1;
      for (std::size_t i = 0; i < parts.count; ++i) {
        INFO(parts.labels[i]);
        const bool is_it = times(run[parts.labels[i]], (*after)[parts.labels[i]]) == wanted;
        CHECK(is_it == (i == parts.right.front()));
        ++compared;
      }
    }
  }
  CHECK(compared > 60);
}

TEST_CASE("of the mistakes offered one alone makes the result shown, or cannot be seen", "[course]") {
  for (const Lesson& lesson : page_lessons()) {
    const Trace run = run_lesson(lesson, {}).trace;
    for (const Question& question : idea_questions(lesson, run, 3, 100, 4)) {
      const WordAnswer& parts = parts_of(question);
      INFO(lesson.command << ": " << name_of(question.kind) << " " << text_of(question.answer));
      if (question.kind == Question::Kind::mistake) {
        const Tensor& right = run[question.tensor];
        for (std::size_t i = 0; i < parts.count; ++i) {
          const WrongRun wrong = run_wrong(run, {find_mistake(parts.labels[i])});
          const double cell = wrong.trace[question.tensor].at(question.index);
          CHECK(cell == question.measured[i]);
          CHECK(relative_difference(wrong.trace[question.tensor], right) > rounding);
          const double told = question.measured[parts.right.front()];
          CHECK((std::abs(cell - told) > 1e-4) == (i != parts.right.front()));
        }
      } else if (question.kind == Question::Kind::unseen) {
        for (std::size_t i = 0; i < parts.count; ++i) {
          const WrongRun wrong = run_wrong(run, {find_mistake(parts.labels[i])});
          bool same = true;
          for (const Step& step : run.steps)
            same = same && relative_difference(wrong.trace[step.name], step.value) <= rounding;
          CHECK(same == (i == parts.right.front()));
          CHECK((question.measured[i] == 0) == (i == parts.right.front()));
        }
      }
    }
  }
}
