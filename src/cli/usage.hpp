#pragma once
// What is wrong with a command line, in the learner's words: the parser's own are for programmers, in English
// only.

#include "cli/context.hpp"

namespace tfx {

/// Walks over the arguments as the parser does. Throws Error(usage) at the first that is wrong: an unknown
/// command or option (with the name that was probably meant), a value that is missing or too many, an
/// argument without a place, or a required one that is not there.
void check_arguments(const CLI::App& app, const Context& context);

} // namespace tfx
