#pragma once
// What a property says of a computation with mistakes in it.

#include "core/error.hpp"
#include "judge/property.hpp"
#include "judge/wrong_run.hpp"
#include "support/catch.hpp"

#include <vector>

namespace tfx {

/// How a property is missed: by its measure, or by shapes that do not fit.
enum class Outcome { silent, holds, missed, stopped };

inline Outcome outcome(const Property& property, const Lesson& lesson, const LessonInput& input,
                       const std::vector<const Mistake*>& made) {
  try {
    const auto measured = property.measure(lesson, input, computation_of(lesson, made));
    return !measured ? Outcome::silent : measured->holds ? Outcome::holds : Outcome::missed;
  } catch (const Error& error) {
    INFO(error.what());
    REQUIRE(error.kind() == ErrorKind::bad_data);
    return Outcome::stopped;
  }
}

/// Whether the property does not hold, in either way.
inline bool missed(const Property& property, const Lesson& lesson, const LessonInput& input,
                   const std::vector<const Mistake*>& made) {
  const Outcome found = outcome(property, lesson, input, made);
  return found == Outcome::missed || found == Outcome::stopped;
}

} // namespace tfx
