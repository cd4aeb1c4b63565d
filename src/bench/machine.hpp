#pragma once
// What the figures of a run belong to: without it they say nothing.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tfx::bench {

struct Machine {
  std::string cpu;     ///< as the system calls it; empty where it does not say
  std::string vectors; ///< "avx512", "avx2", "baseline"
  std::string blas;    ///< which kernels OpenBLAS has chosen: "SkylakeX"; empty where it does not say
  std::size_t threads = 1;
  std::vector<std::pair<std::string, std::string>> overrides; ///< OPENBLAS_* of the environment
};

/// Of this process.
Machine this_machine();

} // namespace tfx::bench
