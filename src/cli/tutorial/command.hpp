#pragma once
// A block of a tutorial, run as `tfx tutorial ID --run N` and `tfx next` do.

#include "cli/context.hpp"
#include "course/tutorial_path.hpp"

namespace tfx {

/// What the block shows, then its first command as if it had been typed, and where to go on. At a terminal
/// the progress has it, and the lesson that it was.
void run_block(const TutorialPath& path, std::size_t number, Context& context);

} // namespace tfx
