#pragma once
// A program of somebody else's, run under limits: without standard input or a terminal, seconds of the
// processors, memory, processes, an amount of output and of written bytes. No shell; nothing of it is left
// running (cli/grade/supervisor.hpp).

#include "cli/grade/surroundings.hpp"
#include "cli/stop_signal.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tfx {

struct ProgramLimits {
  std::chrono::milliseconds time{20'000}; ///< of the processors, summed over all that it starts
  std::size_t memory = 4'000'000'000;     ///< bytes: the data of a process, and what all hold together

  /// By the clock, for one that sleeps: a busy machine, or a slow start, is no fault of the program.
  std::chrono::milliseconds wait() const { return 4 * time + std::chrono::seconds(6); }
  std::size_t printed = 1 << 20;  ///< bytes, of both channels together
  std::size_t written = 64 << 20; ///< bytes of one file
  std::size_t processes = 256;    ///< at a time; the system's own limit counts those of the user
};

struct ProgramEnd {
  enum class How {
    exited,      ///< with `status`
    signalled,   ///< by signal `status`
    timed_out,   ///< computed too long, and was killed
    waited,      ///< did not end, though it hardly computed, and was killed
    too_large,   ///< took too much memory, and was killed
    too_many,    ///< started too many processes, and was killed with them
    flooded,     ///< printed more than it may, and was killed
    not_started, ///< `status` is the errno
    interrupted  ///< by the signal `status` that tfx got
  };
  How how = How::exited;
  int status = 0;
  std::string out, err;

  bool is_well() const { return how == How::exited && status == 0; }
  /// The last line of its messages that is not empty: of a Python traceback the error.
  std::string last_line() const;
};

/// "python3 mine.py" as words, quotes kept together, as the shell takes them apart; nothing else of it.
std::vector<std::string> words_of_command(const std::string& command);

/// The first of `command` is looked for in PATH. Whatever it has started is killed with it.
ProgramEnd run_program(const std::vector<std::string>& command, const Surroundings& surroundings,
                       const ProgramLimits& limits, const StopSignals& signals);

} // namespace tfx
