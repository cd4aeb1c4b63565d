#pragma once
// Running a lesson: its input from the options, its trace, and the comparison with NumPy's run where there is
// one.

#include "input/options.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

struct LessonRun {
  Trace trace;
  std::vector<std::string> notes; ///< for the learner, on stderr
};

/// With the check "equals_reference" where the input is one that NumPy's run was made of. The lesson has a
/// run on the page. By default without times.
LessonRun run_lesson(const Lesson& lesson, const InputOptions& options, RunFor purpose = RunFor::proof);

/// The lesson of that command, which there is: a learner's word goes through lesson_named before.
const Lesson& find_lesson(std::string_view command);

} // namespace tfx
