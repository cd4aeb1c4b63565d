#pragma once
// Exercises by name, and which the learner has done: in the progress file "exercise-softmax".

#include "cli/context.hpp"
#include "course/progress.hpp"
#include "exercise/exercise.hpp"

namespace tfx {

/// The exercise called `name`, or a teacher's own in the folder of that name. Throws Error(usage) with the
/// nearest name where there is none, and what own_exercise throws.
std::shared_ptr<const Exercise> known_exercise(const std::string& name);

/// Whether it names a folder and no exercise of tfx.
bool is_own_exercise(const std::string& name);

bool is_written(const CourseProgress& progress, const std::string& exercise);

/// Its questions and its exercise. Whether there was anything to forget.
bool forget_lesson(CourseProgress& progress, const std::string& lesson);

/// Where the learner's own program was right, on a screen.
void record_written(const std::string& exercise, Context& context);

} // namespace tfx
