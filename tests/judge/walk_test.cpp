// The judge walks over wrong answers to everything: every lesson with each option alone and every case of
// every exercise, each tensor wrong in six ways. Whatever comes in, it ends, and what it is sure of holds for
// all that came.

#include "core/error.hpp"
#include "exercise/grading.hpp"
#include "lessons/run.hpp"
#include "options/parse.hpp"
#include "support/catch.hpp"
#include "support/random_input.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace tfx;

namespace {

struct WalkedRun {
  std::string name; ///< "train --optimizer adamw", "block level"
  const Lesson* lesson;
  Trace right;
};

// A value or two of an option that no file is needed for.
std::vector<std::string> values_for(const std::string& name, const std::string& type) {
  if (type.empty()) return {""};
  if (name == "--text" || name == "--source") return {"the cat sat on the mat"};
  if (name == "--word") return {"lower"};
  if (name == "--labels") return {"1,2,0,3"};
  if (type.find('|') != std::string::npos && type != "FILE|NAME") {
    std::vector<std::string> words;
    std::string rest = type + "|";
    for (std::size_t at = rest.find('|'); at != std::string::npos;
         rest = rest.substr(at + 1), at = rest.find('|'))
      words.push_back(rest.substr(0, at));
    return words;
  }
  if (type == "N") return {"2", "3"};
  if (type.size() == 1) return {"0.3"};
  return {};
}

std::vector<WalkedRun> runs_with_each_option() {
  std::vector<WalkedRun> all;
  for (const Lesson& lesson : page_lessons()) {
    all.push_back({lesson.command, &lesson, run_lesson(lesson, {}).trace});
    for (const auto& option : input_options()) {
      if (!option.is_for(lesson)) continue;
      for (const std::string& value : values_for(option.name, option.type)) {
        InputOptions options;
        try {
          option.read(options, value);
          all.push_back(
              {lesson.command + " " + option.name + " " + value, &lesson, run_lesson(lesson, options).trace});
        } catch (const Error&) { // this value is not for this lesson
        }
      }
    }
  }
  return all;
}

using Change = Tensor (*)(const Trace& run, const Step& step);

// Six ways for an answer to be wrong that no catalogue is needed for.
const std::vector<std::pair<const char*, Change>> changes = {
    {"1 % more",
     [](const Trace&, const Step& step) {
       Tensor value = step.value;
       for (double& x : value.data) x *= 1.01;
       return value;
     }},
    {"transposed",
     [](const Trace&, const Step& step) {
       if (step.value.rank() < 2) return step.value;
       Tensor turned(step.value);
       std::swap(turned.shape.back(), turned.shape[turned.rank() - 2]);
       for (std::size_t i = 0; i < matrix_count(step.value); ++i)
         set_matrix(turned, i, matrix(step.value, i).t());
       return turned;
     }},
    {"NaN",
     [](const Trace&, const Step& step) {
       Tensor value = step.value;
       std::ranges::fill(value.data, std::numeric_limits<double>::quiet_NaN());
       return value;
     }},
    {"zeros", [](const Trace&, const Step& step) { return Tensor(step.value.shape); }},
    {"the next tensor",
     [](const Trace& run, const Step& step) {
       const auto at = std::ranges::find(run.steps, step.name, &Step::name);
       return (at + 1 == run.steps.end() ? run.steps.front() : *(at + 1)).value;
     }},
    {"another shape", [](const Trace&, const Step& step) {
       Shape shape = step.value.shape;
       shape.push_back(2);
       Tensor value(shape);
       for (std::size_t i = 0; i < value.size(); ++i) value.data[i] = 0.37 * static_cast<double>(i + 1);
       return value;
     }}};

// A suspect that is said to be sure gives every array that was handed in.
void require_evidence(const Diagnosis& diagnosis, const Trace& right,
                      const std::vector<CheckedTensor>& tensors) {
  if (diagnosis.confidence != Confidence::sure) return;
  REQUIRE(diagnosis.suspects.size() == 1);
  const WrongRun run = run_wrong(right, diagnosis.suspects[0].made, diagnosis.suspects[0].at);
  for (const CheckedTensor& one : tensors) {
    INFO(diagnosis.suspects[0].id() << " does not give " << one.name);
    if (!one.excused && !right.step_named(one.name).operation.is(op::given)) CHECK(gives(run, one));
  }
}

void walk_check(const WalkedRun& run, std::size_t step, std::size_t change, bool with_others) {
  const Step& of = run.right.steps[step];
  INFO("check " << run.name << ": " << of.name << ", " << changes[change].first
                << (with_others ? " among all" : ""));
  std::vector<HandedIn> arrays;
  for (const Step& other : run.right.steps)
    if (with_others && other.name != of.name)
      arrays.push_back({other.name, {DType::f64, other.value}, FromText::no});
  arrays.push_back({of.name, {DType::f64, changes[change].second(run.right, of)}, FromText::no});
  const CheckReport report =
      check_arrays(run.right, arrays, {}, parse_names("--require", run.lesson->result));
  require_evidence(report.diagnosis, run.right, report.tensors);
}

struct WalkedExercise {
  const Exercise* exercise;
  std::vector<Case> series;
};

std::vector<WalkedExercise> all_series() {
  std::vector<WalkedExercise> all;
  for (const Exercise& exercise : exercises()) all.push_back({&exercise, series_of(exercise)});
  return all;
}

std::vector<Slot> outputs_of(const Exercise& exercise) {
  std::vector<Slot> slots = exercise.stages;
  slots.insert(slots.end(), exercise.results.begin(), exercise.results.end());
  return slots;
}

// All is right but one tensor of one case.
void walk_grade(const WalkedExercise& walked, std::size_t number, const std::string& tensor,
                std::size_t change) {
  const Case& at = walked.series[number];
  INFO("grade " << walked.exercise->name << ", " << at.rule->id << ": " << tensor << ", "
                << changes[change].first);
  std::vector<NamedArray> returned;
  for (const Case& one : walked.series)
    for (const Slot& slot : outputs_of(*walked.exercise))
      if (const Step* step = one.run.find(slot.name)) {
        const bool wrong = &one == &at && slot.name == tensor;
        returned.push_back({one.rule->id + "/" + slot.name,
                            {DType::f64, wrong ? changes[change].second(one.run, *step) : step->value}});
      }
  const Grading grading = graded(*walked.exercise, walked.series, returned);
  for (std::size_t i = 0; i < walked.series.size(); ++i)
    if (!grading.cases[i].convention.empty()) return; // which the verdict leaves out
  for (std::size_t i = 0; i < walked.series.size(); ++i)
    require_evidence(grading.diagnosis, walked.series[i].run, grading.cases[i].tensors);
}

using WalkSteps = std::vector<std::function<void()>>;

WalkSteps in_drawn_order(WalkSteps steps, RandomInput& random) {
  WalkSteps drawn;
  for (const arma::uword i : random.order(steps.size())) drawn.push_back(std::move(steps[i]));
  return drawn;
}

// Of each lesson its steps in an order that a seed draws, and of all lessons one after the other: a whole
// model has more tensors than all others together.
WalkSteps walk_through(std::vector<WalkSteps> lessons, std::uint32_t seed) {
  RandomInput random(seed);
  std::size_t longest = 0;
  for (WalkSteps& steps : lessons) {
    steps = in_drawn_order(std::move(steps), random);
    longest = std::max(longest, steps.size());
  }
  WalkSteps all;
  for (std::size_t i = 0; i < longest; ++i)
    for (WalkSteps& steps : lessons)
      if (i < steps.size()) all.push_back(std::move(steps[i]));
  return all;
}

std::vector<WalkSteps> wrong_answers(const std::vector<WalkedRun>& runs,
                                     const std::vector<WalkedExercise>& exercises) {
  std::vector<WalkSteps> lessons;
  for (const WalkedExercise& walked : exercises) {
    WalkSteps& steps = lessons.emplace_back();
    for (const WalkedRun& run : runs)
      for (std::size_t step = 0; step < run.right.steps.size(); ++step) {
        if (run.lesson->takes(Input::answer)) continue; // seconds each: what is graded of it is walked below
        if (run.right.is_of_model(run.right.steps[step])) continue; // nobody hands in what a model computed
        for (std::size_t change = 0; change < changes.size() && run.lesson->command == walked.exercise->name;
             ++change)
          for (const bool with_others : {false, true})
            steps.emplace_back(
                [&run, step, change, with_others] { walk_check(run, step, change, with_others); });
      }
    for (std::size_t number = 0; number < walked.series.size(); ++number)
      for (const Slot& slot : outputs_of(*walked.exercise))
        for (std::size_t change = 0; change < changes.size(); ++change)
          if (walked.series[number].run.has(slot.name))
            steps.emplace_back(
                [&walked, number, slot, change] { walk_grade(walked, number, slot.name, change); });
  }
  return lessons;
}

// Every two mistakes that can be made in one run, in either order.
std::vector<WalkSteps> pairs_of_mistakes(const std::vector<WalkedRun>& runs,
                                         const std::vector<WalkedExercise>& exercises) {
  std::vector<WalkSteps> lessons;
  const auto add = [&](const Trace& right) {
    WalkSteps& steps = lessons.emplace_back();
    std::vector<const Mistake*> possible;
    for (const Mistake& mistake : mistakes())
      if (!run_wrong(right, {&mistake}).made.empty()) possible.push_back(&mistake);
    for (const Mistake* first : possible)
      for (const Mistake* second : possible)
        if (first != second)
          steps.emplace_back([&right, first, second] {
            INFO(right.lesson << ": " << first->id << "+" << second->id);
            CHECK_NOTHROW(run_wrong(right, {first, second}));
          });
  };
  for (const WalkedRun& run : runs) add(run.right);
  for (const WalkedExercise& walked : exercises)
    for (const Case& one : walked.series) add(one.run);
  return lessons;
}

// That many steps, in the order that the seed draws.
void walk(decltype(wrong_answers)& kind, std::uint32_t seed, std::size_t most) {
  const std::vector<WalkedRun> runs = runs_with_each_option();
  const std::vector<WalkedExercise> exercises = all_series();
  const WalkSteps steps = walk_through(kind(runs, exercises), seed);
  INFO(steps.size() << " steps");
  CHECK(steps.size() > 10000);
  for (std::size_t i = 0; i < std::min(most, steps.size()); ++i) steps[i]();
}

} // namespace

TEST_CASE("whatever is handed in, the judge ends, and is sure of nothing that does not hold",
          "[judge][walk]") {
#ifdef NDEBUG
  constexpr std::size_t most = 2000;
#else // with sanitizers each takes thirty times as long
  constexpr std::size_t most = 500;
#endif
  walk(wrong_answers, 39, most);
}

TEST_CASE("two mistakes, whichever, are given only what is there", "[judge][walk]") {
  walk(pairs_of_mistakes, 39, 20000);
}

TEST_CASE("the judge walks over thousands of wrong answers", "[.][extended]") {
  walk(wrong_answers, 1, 8000);
}

TEST_CASE("the judge makes tens of thousands of pairs of mistakes", "[.][extended]") {
  walk(pairs_of_mistakes, 1, 40000);
}
