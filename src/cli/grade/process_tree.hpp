#pragma once
// The processes below another one, as /proc has them: what a program and all that it started use of the
// machine, and who of them is to be stopped or ended.

#include <cstddef>
#include <vector>

#include <sys/types.h>

namespace tfx {

struct TreeUse {
  double seconds = 0;        ///< of the processors, of its ended children too
  std::size_t resident = 0;  ///< bytes in memory
  std::size_t processes = 0; ///< that run or wait
};

/// Of all that descends from `root`; of itself only the time of the children that it has waited for. Such
/// time counts while a process sleeps, as one does that waits for others: who asks one that is starting waits
/// for it. Nothing where the system has no /proc.
TreeUse use_below(pid_t root);

/// Threads of the whole machine, without a look at each; 0 where that is not known.
std::size_t threads_of_machine();

/// All that descends from `root` now, ended or not.
std::vector<pid_t> processes_below(pid_t root);

/// Sends `signal` to all that descends from `root` and to the groups that they are in, but not to those whom
/// `spared` names and what is below them → how many of them had not ended before. A process whose number is
/// smaller than its parent's is met once its parent is gone: call it again. Takes no memory, so it may stand
/// between fork and exec.
std::size_t signal_below(pid_t root, int signal, const std::vector<pid_t>& spared);

} // namespace tfx
