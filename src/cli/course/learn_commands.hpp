#pragma once
// The commands that lead through the course: `tfx` and `tfx list`, which show all lessons and those that are
// done, and `tfx next`, `hint` and `reset`: where the learner stands, and how to go on. A block of a tutorial
// is run in the same way.

#include "cli/context.hpp"
#include "course/tutorial_path.hpp"

namespace tfx {

/// What the block shows, then its first command as if it had been typed, and where to go on. At a terminal
/// the progress has it, and the lesson that it was.
void run_block(const TutorialPath& path, std::size_t number, Context& context);

} // namespace tfx
