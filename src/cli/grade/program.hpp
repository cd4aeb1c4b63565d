#pragma once
// A program of somebody else's, run under limits: its own process group without standard input, a time, an
// amount of output and of written bytes. No shell; nothing of it is left running.

#include "cli/stop_signal.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tfx {

struct ProgramLimits {
  std::chrono::milliseconds time{10'000};
  std::size_t printed = 1 << 20;  ///< bytes, of both channels together
  std::size_t written = 64 << 20; ///< bytes of one file
};

struct ProgramEnd {
  enum class How {
    exited,      ///< with `status`
    signalled,   ///< by signal `status`
    timed_out,   ///< and was killed
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
