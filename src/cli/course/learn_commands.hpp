#pragma once
// What the commands that lead through the course share.

#include "cli/context.hpp"
#include "course/tutorial_path.hpp"

namespace tfx {

/// What the block shows, then its first command as if it had been typed, and where to go on. At a terminal
/// the progress has it, and the lesson that it was.
void run_block(const TutorialPath& path, std::size_t number, Context& context);

} // namespace tfx
