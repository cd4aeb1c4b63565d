#pragma once
// The machine as tfx finds it: what it computes with, what it may use of it, and what of that is slower than
// it could be. The facts are gathered in one place and judged in another, so that tests can judge machines
// that are not there.

#include "core/blas.hpp"
#include "core/control_group.hpp"
#include "core/isa.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Machine {
  std::string processor; ///< "AMD EPYC 7763"; empty where the system does not say
  Isa isa = Isa::baseline, widest_isa = Isa::baseline; ///< what tfx's kernels use, and could use
  BlasLibrary blas;
  /// Variables that change how fast products are: OPENBLAS_*, GOTO_*, OMP_NUM_THREADS, TFX_*.
  std::map<std::string, std::string> environment;
  std::size_t online = 1, usable = 1;  ///< processors: all, and those that this process may run on
  std::size_t threads = 1;             ///< that tfx computes with
  std::optional<double> quota;         ///< processor time that control groups allow, in processors
  double memory = 0, free_memory = 0;  ///< bytes: built in, and still to be had by this process
  std::optional<double> address_space; ///< bytes, where it is limited (ulimit -v)
};

/// The name of the first processor in the text of /proc/cpuinfo.
std::string processor_name(std::string_view cpuinfo);

/// The variables of `environment` (NAME=VALUE) that Machine::environment names.
std::map<std::string, std::string> speed_variables(const char* const* environment);

Machine look_at_machine(const FileReader& read = text_of_file);

struct MachineWarning {
  std::string id;                            ///< the part before the dot is what it is about: "blas.variable"
  std::map<std::string, std::string> values; ///< what its words quote
  bool unusable = false;                     ///< not slower: impossible
};

/// What makes tfx slower on this machine than it has to be, or impossible; in the order of Machine.
std::vector<MachineWarning> warnings_of(const Machine& machine);

} // namespace tfx
