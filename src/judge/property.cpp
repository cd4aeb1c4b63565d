#include "judge/property.hpp"

#include "core/error.hpp"
#include "judge/wrong_run.hpp"

namespace tfx {

Computation computation_of(const Lesson& lesson, const std::vector<const Mistake*>& made) {
  return [&lesson, made](const LessonInput& input) {
    Trace right = lesson.run(input);
    if (made.empty()) return right;
    WrongRun run = run_wrong(right, made);
    if (run.stops) throw Error(ErrorKind::bad_data, *run.stops);
    return std::move(run.trace);
  };
}

std::vector<PropertyVerdict> verdicts(const Lesson& lesson, const LessonInput& input,
                                      const Computation& compute) {
  std::vector<PropertyVerdict> all;
  for (const Property& property : properties()) {
    try {
      if (const auto measured = property.measure(lesson, input, compute))
        all.push_back({property.id, *measured, {}});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_data) throw;
      all.push_back({property.id, {false, 1}, error.message()});
    }
  }
  return all;
}

} // namespace tfx
