#pragma once
// Lines at a terminal: those that are said, a line at a time or a screenful, those that a learner or a script
// answers, and the progress line, the last one on stderr, which is written over. The progress line says what
// a command does that takes longer than two seconds, and for how long; it is the one definition of such a
// line, and train fills it in its own way.

#include "render/style.hpp"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tfx {

/// Whether stderr is a terminal that can write over a line.
bool has_progress_line();

/// 75 → "1:15".
std::string clock_text(double seconds);

/// The line now, cut to the terminal's width; "" leaves an empty one.
void write_progress_line(const std::string& text, const Style& style);

/// Shows what is told (core/progress.hpp), from the third second on, until its end or end_progress().
class ProgressLine {
public:
  ProgressLine(std::string command, const Style& style);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void end();

private:
  void watch();
  std::string text(double seconds) const;

  std::string command_;
  Style style_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::string whole_, part_; ///< "softmax 3/12", "scores"
  std::thread thread_;
};

/// Clears the line for good: the command itself has something to say to the terminal.
void end_progress();

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

/// The text before the command ends: a screenful at a time where `paged` says so and there is a pager for it.
void show_now(const std::string& text, bool paged);

/// The next line of standard input without its end; nothing at the end. Of a line too long for any answer,
/// the beginning. Throws Error(io) where reading fails.
std::optional<std::string> next_line();

} // namespace tfx
