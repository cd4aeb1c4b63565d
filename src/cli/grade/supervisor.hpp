#pragma once
// A process of tfx's own that stands between it and a program of somebody else's, and leaves nothing of that
// program behind. Whatever loses its parent below it becomes its child, whichever group or session it has
// moved to. When the program has ended, when tfx asks for it, and when tfx itself is gone, it ends all that
// is below it before it ends. Should the program kill or stop this process, tfx does the same in its place.

#include "cli/grade/process_tree.hpp"
#include "io/open_file.hpp"

#include <string>
#include <vector>

#include <sys/resource.h>

namespace tfx {

/// A pipe, closed where another program is started.
struct Pipe {
  Descriptor read, write;

  /// Throws Error(io).
  Pipe();
};

/// What is set of a program before it runs.
struct ProgramStart {
  std::vector<std::string> command;     ///< the first word is looked for in the PATH of tfx
  std::vector<std::string> environment; ///< "NAME=value", all of it
  std::string folder;                   ///< to run in; empty for the one where tfx runs
  rlim_t memory = 0, written = 0;       ///< bytes: of the data of a process, and of one file
};

/// While it lives, orphans below tfx become children of tfx, and no program of the same user reads its memory
/// or its open files: the right results are in there.
class Guarding {
public:
  Guarding();
  ~Guarding();
  Guarding(const Guarding&) = delete;
  Guarding& operator=(const Guarding&) = delete;

  /// What was below tfx before, and is not the program's.
  const std::vector<pid_t>& spared() const { return spared_; }

private:
  int was_reaper_ = 0, was_open_ = 1;
  std::vector<pid_t> spared_;
};

class Supervised {
public:
  /// Starts the program; it prints into `out` and `err`, and has no other file open. Throws Error(io).
  Supervised(const ProgramStart& start, const Descriptor& out, const Descriptor& err);
  ~Supervised();
  Supervised(const Supervised&) = delete;
  Supervised& operator=(const Supervised&) = delete;

  /// Can be read when the program has ended.
  const Descriptor& news() const { return report_.read; }
  bool has_ended() const;
  TreeUse use() const { return use_below(supervisor_); }

  struct End {
    int not_started = 0; ///< the errno
    int status = 0;      ///< as waitpid gives it; killed where nobody knows
  };
  /// Ends whatever is left of it.
  End end();

private:
  bool is(int state) const; ///< of waitid: WEXITED, WSTOPPED

  const Guarding guarding_;
  Pipe report_;
  pid_t supervisor_ = -1; ///< -1 once it has ended
};

} // namespace tfx
