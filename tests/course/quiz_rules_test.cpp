// What a question must not be, for every lesson and seeds 1 to 60: another lesson's, a number to be copied,
// nothing for a hand, an answer that shows in no digit.

#include "core/number.hpp"
#include "course/idea.hpp"
#include "course/quiz.hpp"
#include "course/taught.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "trace/checks.hpp"
#include "trace/explain.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

using namespace tfx;

namespace {

using Kind = Question::Kind;

constexpr std::uint64_t seeds = 60;

void for_each_question(const std::function<void(const QuizItem&)>& rule) {
  for (const Lesson& lesson : page_lessons()) {
    INFO(lesson.command);
    const Trace run = run_lesson(lesson, {}, RunFor::values).trace;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      INFO("seed " << seed);
      std::vector<Question> asked = questions(run, seed, 3, 4);
      REQUIRE(asked.size() == 3);
      for (Question& idea : idea_questions(lesson, run, seed, 2, 4)) asked.push_back(std::move(idea));
      for (Question& question : asked) {
        INFO(name_of(question.kind) << " " << question.tensor << " " << to_string(question.index));
        rule({&lesson, &run, std::move(question)});
      }
    }
  }
}

bool looks_alike(const Tensor& a, const Tensor& b) {
  if (a.shape != b.shape) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (format_number(a.data[i], 4) != format_number(b.data[i], 4)) return false;
  return true;
}

Tensor times(Tensor tensor, double factor) {
  for (double& x : tensor.data) x *= factor;
  return tensor;
}

std::vector<Explanation> cells_of(const QuizItem& item) {
  const Question& question = item.question;
  std::vector<Index> cells{question.index};
  if (question.kind != Kind::cell) {
    cells.clear();
    for (std::size_t i = 0; i < (*item.trace)[question.tensor].shape.back(); ++i)
      cells.push_back(question.index), cells.back().push_back(i);
  }
  std::vector<Explanation> all;
  for (const Index& cell : cells) all.push_back(explain(*item.trace, question.tensor, cell, 0, 100, 4));
  return all;
}

} // namespace

TEST_CASE("no question is another lesson's", "[course][quiz]") {
  std::size_t asked = 0, others = 0;
  for_each_question([&](const QuizItem& item) {
    const Question& question = item.question;
    ++asked;
    const auto is_others = [&](const std::string& tensor) {
      const Step& step = item.trace->step_named(tensor);
      return step.role == Role::recap || taught_before(*item.trace, step) != nullptr;
    };
    if (!question.has_parts()) {
      if (!question.tensor.empty() && is_others(question.tensor)) ++others;
      return;
    }
    const std::string part = text_of(question.answer);
    if (const Mistake* mistake = find_mistake(part)) {
      const WrongRun wrong = run_wrong(*item.trace, {mistake});
      if (mistake->folder != item.lesson->folder && is_others(wrong.made.front())) ++others;
    } else if (is_others(part)) {
      ++others;
    }
  });
  CHECK(asked > 4000);
  CHECK(others == 0);
}

TEST_CASE("a lesson teaches what no earlier one does, and its result", "[course]") {
  const Trace train = run_lesson(find_lesson("train"), {}, RunFor::values).trace;
  const auto teacher = [&](const std::string& name) {
    const Lesson* lesson = taught_before(train, train.step_named(name));
    return lesson ? lesson->command : "";
  };
  CHECK(teacher("K") == "qkv");
  CHECK(teacher("scores") == "scores");
  CHECK(teacher("scaled") == "softmax");
  CHECK(teacher("weights") == "softmax");
  CHECK(teacher("mask") == "masked");
  CHECK(teacher("loss") == "loss");
  CHECK(teacher("dW_Q") == "loss");
  CHECK(teacher("m_W_Q").empty());
  CHECK(teacher("W_Q_after").empty());
  const Trace cross = run_lesson(find_lesson("cross"), {}, RunFor::values).trace;
  CHECK(is_new(cross, cross.step_named("K"))); // of the memory
  CHECK_FALSE(is_new(cross, cross.step_named("Q")));
}

TEST_CASE("no answer is a number that is given", "[course][quiz]") {
  std::size_t cells = 0;
  for_each_question([&](const QuizItem& item) {
    if (item.question.kind != Kind::cell) return;
    const Step& step = item.trace->step_named(item.question.tensor);
    if (step.operation.kind->marks) return; // 0 and 1 by a rule
    ++cells;
    const std::string answer = format_number(std::get<NumberAnswer>(item.question.answer).value, 4);
    for (const Explanation& cell : cells_of(item))
      for (const Term& term : cell.terms)
        for (const CellRef& read : term.reads)
          if (format_number(read.value, 4) == answer) FAIL_CHECK("copied from " << read.tensor);
  });
  CHECK(cells > 1000);
}

TEST_CASE("a hand computes the answer: a cell of six terms at most, a row of six or of twelve whole ones",
          "[course][quiz]") {
  for_each_question([&](const QuizItem& item) {
    const Question& question = item.question;
    if (question.kind != Kind::cell && question.kind != Kind::largest && question.kind != Kind::row_sum)
      return;
    const Step& step = item.trace->step_named(question.tensor);
    if (!step.value.shape.empty()) CHECK(step.value.shape.back() <= 12);
    if (question.kind == Kind::cell) {
      const double value = std::get<NumberAnswer>(question.answer).value;
      CHECK((std::isinf(value) || std::abs(value) < 1e6));
      CHECK(format_number(value, 4).find('e') == std::string::npos);
    }
    std::size_t terms = 0;
    for (const Explanation& cell : cells_of(item)) {
      if (question.kind == Kind::cell) CHECK(cell.terms.size() <= 6);
      terms += step.operation.is(op::softmax) || cell.terms.size() == 1 ? 0 : cell.terms.size();
    }
    const double sum = question.kind == Kind::row_sum ? std::get<NumberAnswer>(question.answer).value : -1;
    if (question.kind == Kind::row_sum && sum != 0 && sum != 1) CHECK(terms <= 6); // those are known before
    const auto is_whole = [](double value) { return value == std::round(value); };
    const auto has_whole = [&](const std::string& input) {
      return std::ranges::all_of((*item.trace)[input].data, is_whole);
    };
    if (question.kind == Kind::largest)
      CHECK(terms <= (std::ranges::all_of(step.operation.inputs, has_whole) ? 12 : 6));
  });
}

TEST_CASE("every answer offered shows in the digits", "[course][quiz]") {
  std::set<std::string> done; // the same question comes again with other seeds
  for_each_question([&](const QuizItem& item) {
    const Question& question = item.question;
    if (!question.has_parts()) return;
    const WordAnswer& parts = std::get<WordAnswer>(question.answer);
    std::string key = item.lesson->command + std::string(name_of(question.kind)) + question.tensor;
    for (const std::string& part : parts.labels) key += " " + part;
    if (!done.insert(key).second) return;
    for (std::size_t i = 0; i < parts.count; ++i) {
      const bool is_right = i == parts.right.front();
      INFO(parts.labels[i]);
      if (const Mistake* mistake = find_mistake(parts.labels[i])) {
        const WrongRun wrong = run_wrong(*item.trace, {mistake});
        const auto shows = [&](const Step& step) { return !looks_alike(step.value, wrong.trace[step.name]); };
        if (question.kind == Kind::mistake)
          CHECK(shows(item.trace->step_named(question.tensor)));
        else
          CHECK(std::ranges::any_of(item.trace->steps, shows) != is_right);
        continue;
      }
      const double factor = question.kind == Kind::doubled ? 2 : 1;
      const Rerun after(*item.trace,
                        {{question.tensor, [](const Tensor& tensor) { return times(tensor, 2); }}});
      const Tensor& before = (*item.trace)[parts.labels[i]];
      CHECK((relative_difference(times(before, factor), after[parts.labels[i]]) < 1e-5) == is_right);
      if (!is_right) CHECK_FALSE(looks_alike(times(before, factor), after[parts.labels[i]]));
    }
  });
  CHECK(done.size() > 100);
}

TEST_CASE("the way back is asked for signs, zeros and sums, whose answers are the run's",
          "[course][question]") {
  const Trace run = run_lesson(find_lesson("loss"), {}).trace;
  std::set<Kind> kinds;
  std::size_t labels = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const Question& question : step_questions(run, seed, 4)) {
      const Step& step = run.step_named(question.tensor);
      if (step.role != Role::gradient) continue;
      kinds.insert(question.kind);
      INFO(name_of(question.kind) << " " << question.tensor << " " << to_string(question.index));
      if (question.kind == Kind::sign) {
        const bool is_label = run["target"].at(question.index) == 1;
        labels += is_label;
        CHECK(question.tensor == "dlogits");
        CHECK(std::get<SignAnswer>(question.answer).positive == !is_label);
        continue;
      }
      double sum = 0;
      std::size_t zeros = 0;
      Index cell = question.index;
      for (cell.push_back(0); cell.back() < step.value.shape.back(); ++cell.back())
        sum += step.value.at(cell), zeros += step.value.at(cell) == 0;
      if (question.kind == Kind::zeros)
        CHECK(std::get<CountAnswer>(question.answer).value == zeros);
      else
        CHECK(std::get<NumberAnswer>(question.answer).value == Approx(sum).margin(1e-12));
    }
  CHECK(kinds == std::set<Kind>{Kind::sign, Kind::zeros, Kind::row_sum});
  CHECK(labels > 0);
}
