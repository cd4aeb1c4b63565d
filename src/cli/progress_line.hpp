#pragma once
// The last line of a terminal on stderr, written over: what a command does that takes longer than two
// seconds, and for how long. It is the one definition of such a line; train fills it in its own way.

#include "render/style.hpp"

#include <condition_variable>
#include <mutex>
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

} // namespace tfx
