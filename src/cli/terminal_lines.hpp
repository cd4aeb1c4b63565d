#pragma once
// Talking at a terminal, a line at a time, and reading the lines of a script.

#include <optional>
#include <string>

namespace tfx {

/// Whether a learner can answer: standard input and output are both terminals.
bool is_dialogue();

/// Whether standard output is a terminal.
bool shows_screen();

/// Whether lines can be read without waiting for a learner: standard input is no terminal.
bool has_script();

/// To standard output, at once.
void say(const std::string& text);

/// The next line of standard input without its end; nothing at the end. Of a line too long for any answer,
/// the beginning. Throws Error(io) where reading fails.
std::optional<std::string> next_line();

} // namespace tfx
