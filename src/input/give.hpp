#pragma once
// Bringing given tensors into a lesson's trace.

#include "input/lesson_input.hpp"

namespace tfx {

/// The tensor of that name, and what it was made from, become steps of `trace` (once).
void give(Trace& trace, const LessonInput& input, const std::string& name);

/// name = table[ids]: rows of an embedding table (or of the distinct words' vectors) by their numbers.
void give_rows(Trace& trace, const std::string& name, const std::string& table, const std::string& ids);

} // namespace tfx
