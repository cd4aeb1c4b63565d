#pragma once
// A program of somebody else's, run under limits: its own process group without standard input, seconds of
// the processors, memory, an amount of output and of written bytes. No shell; nothing of it is left running.

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
};

struct ProgramEnd {
  enum class How {
    exited,      ///< with `status`
    signalled,   ///< by signal `status`
    timed_out,   ///< computed too long, and was killed
    waited,      ///< did not end, though it hardly computed, and was killed
    too_large,   ///< took too much memory, and was killed
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

/// The first of `command` is looked for in PATH. Whatever it has started is killed with it.
ProgramEnd run_program(const std::vector<std::string>& command, const ProgramLimits& limits,
                       const StopSignals& signals);

/// A new folder that nobody else can read, removed with all that is in it.
class PrivateFolder {
public:
  /// Throws Error(cannot_write).
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

} // namespace tfx
