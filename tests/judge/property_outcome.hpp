#pragma once
// What a property says of a computation with mistakes in it.

#include "core/error.hpp"
#include "judge/property.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/catalogue.hpp"
#include "support/catch.hpp"

#include <set>
#include <string>
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

/// Every property holds of the right run on each input; on the first one every mistake of the lesson, and
/// every other one, is noticed by one of `own`. The ids of these that notice one.
inline std::set<std::string> check_properties(const Lesson& lesson, const std::vector<LessonInput>& inputs,
                                              const std::vector<Property>& own,
                                              const std::set<std::string>& others = {}) {
  for (const LessonInput& input : inputs)
    for (const Property& property : properties()) {
      INFO(property.id);
      CHECK_FALSE(missed(property, lesson, input, {}));
    }
  std::set<std::string> noticing;
  for (const Mistake& mistake : mistakes()) {
    if (mistake.folder != lesson.folder && !others.contains(mistake.id)) continue;
    INFO(mistake.id);
    bool noticed = false;
    for (const Property& property : own)
      if (missed(property, lesson, inputs[0], {&mistake})) noticed = true, noticing.insert(property.id);
    CHECK(noticed);
  }
  return noticing;
}

inline std::set<std::string> ids_of(const std::vector<Property>& all) {
  std::set<std::string> ids;
  for (const Property& property : all) ids.insert(property.id);
  return ids;
}

} // namespace tfx
