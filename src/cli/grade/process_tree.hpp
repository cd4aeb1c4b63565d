#pragma once
// What a program and all that it started use of the machine: what its limits are measured by.

#include <cstddef>

#include <sys/types.h>

namespace tfx {

struct TreeUse {
  double seconds = 0;       ///< of the processors, of its ended children too
  std::size_t resident = 0; ///< bytes in memory
};

/// Of the group of processes that `leader` leads, and of whatever its members started. Nothing where the
/// system has no /proc.
TreeUse use_of_tree(pid_t leader);

} // namespace tfx
