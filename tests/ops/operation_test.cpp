// An explanation cannot lie: every computed cell of every lesson follows from what its step says about
// itself.

#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/evaluator.hpp"
#include "support/lesson_cases.hpp"
#include "trace/labels.hpp"

#include <cmath>
#include <limits>
#include <set>

using namespace tfx;

namespace {

struct Tally {
  std::set<const Op*> operations;
  std::size_t cells = 0;
};

double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double relative = std::abs(a - b) / std::max(1.0, std::abs(b));
  return std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
}

// Of a large tensor every k-th cell.
void check_step(const Trace& trace, const Step& step, Tally& tally) {
  const std::size_t width = step.value.rank() ? step.value.shape.back() : 1; // a cell may need its whole row
  const std::size_t most = 20'000 / (1 + width / 1000);
  const std::size_t stride = step.value.size() / most + 1;
  const bool exact = step.operation.constant_text == "float32";
  double worst = 0;
  Index worst_cell(step.value.rank(), 0);
  for (std::size_t i = 0; i < step.value.size(); i += stride) {
    const Index index = index_of(step.value.shape, i);
    const double off = difference(step.value.data[i], evaluate(trace, step, index));
    if (off > worst) worst = off, worst_cell = index;
    ++tally.cells;
  }
  INFO(cell_name(step, worst_cell) << " by " << step.operation.kind->name << " is off by " << worst);
  CHECK(worst <= (exact ? 0 : 1e-12));
  tally.operations.insert(step.operation.kind);
}

void check_case(const LessonCase& one, Tally& tally) {
  INFO(one.name);
  const Trace trace = run_lesson(*one.lesson, one.options).trace;
  for (const Step& step : trace.steps) {
    INFO(step.name);
    const bool is_given = step.role == Role::input || step.role == Role::parameter;
    CHECK(is_given == (step.operation.is(op::given)));
    if (!is_given) check_step(trace, step, tally);
  }
}

} // namespace

TEST_CASE("every cell of every tutorial follows from its recorded operation", "[ops]") {
  const std::vector<LessonCase> cases = tutorial_cases();
  // Six runs fit the first nine lessons, one the six of attention, the dictionary lookup; cross and block
  // have a run each, embed and loss two.
  CHECK(cases.size() == 67);
  Tally tally;
  for (const LessonCase& one : cases) check_case(one, tally);
  CHECK(tally.cells > 250'000);
}

TEST_CASE("every cell of the learner's own runs follows from its recorded operation", "[ops][repeats]") {
  const TemporaryFolder folder;
  Tally tally;
  for (const LessonCase& one : own_cases(folder)) check_case(one, tally);
  CHECK(tally.cells > 100'000);
  for (const Op* operation : all_operations()) {
    if (operation == &op::given) continue;
    INFO(operation->name);
    CHECK(tally.operations.count(operation) == 1);
  }
}
