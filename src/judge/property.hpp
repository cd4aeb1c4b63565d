#pragma once
// What must hold for a lesson's computation whatever the numbers, measured by running it: "the future does
// not matter" is tried by changing the future. No property looks at a right result; that is why properties
// find mistakes in a computation whose answer nobody knows. One exception: which columns a rotary position
// pairs is a convention, and "rotary_pairs" holds it to a small file of weights and their stored logits. (A
// Check is one lesson's proof on its own run; a property takes any computation of it, wrong ones too.)

#include "core/error.hpp"
#include "lessons/catalogue.hpp"
#include "trace/mistake.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

/// A lesson as somebody computes it: rightly, or with mistakes in it. What it throws, or where it stops,
/// counts as not holding.
using Computation = std::function<Trace(const LessonInput&)>;

/// `lesson` with `made` in it. Throws Error(bad_data) where the wrong shapes do not fit.
Computation computation_of(const Lesson& lesson, const std::vector<const Mistake*>& made);

struct Measured {
  bool holds = false;
  double value =
      0; ///< how far from holding: a largest deviation, or 0 and 1 where there is nothing to measure
};

/// Its sentence is "property.ID" in lessons/en.md and zh.md.
struct Property {
  std::string id; ///< "future_unseen"
  /// Nothing where the lesson has nothing that it speaks of: no weights, no mask. May run the computation on
  /// `input`, on changed copies of it and on inputs of its own.
  std::optional<Measured> (*measured)(const Lesson& lesson, const LessonInput& input,
                                      const Computation& compute);
  std::function<bool(const Lesson&)> speaks_of = {}; ///< the lessons it can be measured in; empty: all

  std::optional<Measured> measure(const Lesson& lesson, const LessonInput& input,
                                  const Computation& compute) const {
    return !speaks_of || speaks_of(lesson) ? measured(lesson, input, compute) : std::nullopt;
  }
};

/// Those that do not say otherwise speak of `lessons`.
std::vector<Property> only(const std::function<bool(const Lesson&)>& lessons, std::vector<Property> list);

/// Every property, the simplest first: "shapes" is the first one.
const std::vector<Property>& properties();

struct PropertyVerdict {
  std::string property;
  Measured measured;
  Message error; ///< what stopped the computation, where something did
};

/// Every property that speaks of this lesson.
std::vector<PropertyVerdict> verdicts(const Lesson& lesson, const LessonInput& input,
                                      const Computation& compute);

} // namespace tfx
