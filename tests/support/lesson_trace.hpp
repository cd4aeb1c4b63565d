#pragma once
// A lesson run for its trace, as most tests of lessons begin.

#include "lessons/run.hpp"

#include <string>
#include <variant>

namespace tfx {

/// Of the lesson that is called so, on these options.
inline Trace trace_of(const std::string& lesson, const InputOptions& options = {}) {
  return run_lesson(find_lesson(lesson), options).trace;
}

/// A fact of the trace that is a number.
inline double number_of(const Trace& trace, const std::string& fact) {
  return std::get<double>(trace.facts.at(fact));
}

} // namespace tfx
