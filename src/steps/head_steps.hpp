#pragma once
// Heads as steps: split, put side by side, projected.

#include "input/lesson_input.hpp"

namespace tfx {

/// Q → Q_heads.
void add_split(Trace& trace, const std::string& name, std::size_t h, Role role = Role::result);
/// heads → concat.
void add_merge(Trace& trace, Role role = Role::result);

/// output, or `name`, = concat·W_O (+ b_O).
void add_output_projection(Trace& trace, const LessonInput& input, const std::string& name = "output",
                           Role role = Role::result);

} // namespace tfx
