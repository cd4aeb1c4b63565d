#pragma once
// What an exercise is called and asks for, in the learner's language: the words of its lesson, or a teacher's
// own.

#include "exercise/exercise.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

/// The lesson that it is of, or nullptr: a teacher's own is of none.
const Lesson* lesson_of(const Exercise& exercise);

/// "Lesson 4, softmax: …"; of an own one its title.
std::string heading_of(const Exercise& exercise);

/// What must hold.
std::string task_of(const Exercise& exercise);

/// What is particular about a case.
std::string case_name(const Exercise& exercise, const std::string& id);

} // namespace tfx
