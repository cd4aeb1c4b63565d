#pragma once
// Talking at a terminal, a line at a time or a screenful, and reading the lines of a script.

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

/// Shows the text a screenful at a time, with $TFX_PAGER, $PAGER or "less -FRX", where stdout is a terminal
/// that has fewer rows than the text has lines. False where it did not, as where the pager failed at once (it
/// is missing, no program, or ends with an error before anybody has read a line): the text is then still to
/// be written. An empty $TFX_PAGER or $PAGER, or "cat", means none.
bool show_paged(const std::string& text);

/// The next line of standard input without its end; nothing at the end. Of a line too long for any answer,
/// the beginning. Throws Error(io) where reading fails.
std::optional<std::string> next_line();

} // namespace tfx
