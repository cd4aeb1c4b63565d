#pragma once
// The machine as tfx finds it: what it computes with, what it may use of it, and what of that is slower than
// it could be. The facts are gathered in one place and judged in another, so that tests can judge machines
// that are not there.

#include "core/blas.hpp"
#include "core/control_group.hpp"
#include "core/isa.hpp"
#include "core/processor.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Machine {
  Processor processor;
  Isa isa = Isa::baseline, widest_isa = Isa::baseline; ///< what tfx's kernels use, and could use
  BlasLibrary blas;
  /// Variables that change how fast products are: OPENBLAS_*, GOTO_*, OMP_NUM_THREADS, TFX_*.
  std::map<std::string, std::string> environment;
  std::size_t online = 1, usable = 1; ///< processors: all, and those that this process may run on
  std::size_t threads = 1;            ///< that tfx computes with
  std::optional<double> quota;        ///< processor time that control groups allow, in processors
  std::string huge_pages; ///< memory pages: "always", "madvise", "never"; empty where there are none
  double memory = 0, free_memory = 0;  ///< bytes: built in, and still to be had by this process
  std::optional<double> address_space; ///< bytes, where it is limited (ulimit -v)
};

/// The variables of `environment` (NAME=VALUE) that Machine::environment names.
std::map<std::string, std::string> speed_variables(const char* const* environment);

/// The choice in "always [madvise] never".
std::string chosen_in(std::string_view choices);

Machine look_at_machine(const FileReader& read = text_of_file);

struct MachineWarning {
  enum class Grade { slower, unusable };

  std::string id; ///< the part before the dot is what it is about: "blas.weaker_core"
  Grade grade = Grade::slower;
  std::map<std::string, std::string> values; ///< what its words quote
};

/// What makes tfx slower on this machine than it has to be, or impossible; in the order of Machine.
std::vector<MachineWarning> warnings_of(const Machine& machine);

std::string_view name(Vectors vectors); ///< "SSE2", "AVX", "AVX2", "AVX-512"

} // namespace tfx
