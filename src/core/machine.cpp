#include "core/machine.hpp"

#include "core/memory.hpp"
#include "core/number.hpp"
#include "core/parallel.hpp"

#include <algorithm>

#include <sys/resource.h>
#include <unistd.h>

namespace tfx {

std::string processor_name(std::string_view cpuinfo) {
  constexpr std::string_view blanks = " \t\r";
  for (const std::string_view key : {"model name", "Model", "Hardware", "cpu model"}) // x86, then others
    for (std::string_view rest = cpuinfo; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      const auto colon = line.find(':'), value = line.find_first_not_of(blanks, colon + 1);
      if (colon == line.npos || value == line.npos || !line.starts_with(key)) continue;
      if (line.find_first_not_of(blanks, key.size()) != colon) continue; // a longer key
      return std::string(line.substr(value, line.find_last_not_of(blanks) + 1 - value));
    }
  return {};
}

std::map<std::string, std::string> speed_variables(const char* const* environment) {
  std::map<std::string, std::string> found;
  for (; environment && *environment; ++environment) {
    const std::string_view variable = *environment;
    const std::string_view name = variable.substr(0, variable.find('='));
    const bool matters = name.starts_with("OPENBLAS_") || name.starts_with("GOTO_") ||
                         name.starts_with("TFX_") || name == "OMP_NUM_THREADS";
    if (matters && name.size() < variable.size()) found[std::string(name)] = variable.substr(name.size() + 1);
  }
  return found;
}

Machine look_at_machine(const FileReader& read) {
  Machine machine;
  machine.processor = processor_name(read("/proc/cpuinfo").value_or(""));
  machine.isa = isa(), machine.widest_isa = widest_isa();
  machine.blas = blas_library();
  machine.environment = speed_variables(environ);
  machine.usable = processors(), machine.threads = threads();
  const auto system = [](int name) { return static_cast<double>(std::max(0L, sysconf(name))); };
  machine.online = std::max(machine.usable, static_cast<std::size_t>(system(_SC_NPROCESSORS_ONLN)));
  machine.quota = processor_quota(read);
  machine.memory = system(_SC_PHYS_PAGES) * system(_SC_PAGESIZE);
  machine.free_memory = static_cast<double>(available_memory());
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    machine.address_space = static_cast<double>(limit.rlim_cur);
  return machine;
}

std::vector<MachineWarning> warnings_of(const Machine& machine) {
  std::vector<MachineWarning> warnings;
  const auto variable = [&](const char* name) { // OpenBLAS and tfx take an empty one as none
    const auto found = machine.environment.find(name);
    return found == machine.environment.end() ? "" : found->second;
  };
  const std::string isa = variable("TFX_ISA"), widest(name(machine.widest_isa));
  if (!isa.empty() && isa != widest)
    warnings.push_back(
        {"isa.variable", {{"value", isa}, {"isa", std::string(name(machine.isa))}, {"widest", widest}}});
  if (!machine.blas.is_openblas) warnings.push_back({"blas.other_library", {{"file", machine.blas.file}}});
  for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_BLOCK_FACTOR"})
    if (const std::string value = variable(name); !value.empty())
      warnings.push_back({"blas.variable", {{"name", name}, {"value", value}, {"core", machine.blas.core}}});
  if (machine.quota && *machine.quota < static_cast<double>(machine.threads) && *machine.quota > 0)
    warnings.push_back({"quota.little",
                        {{"quota", format_number(*machine.quota, 2)},
                         {"threads", std::to_string(machine.threads)},
                         {"fewer", std::to_string(std::max(1, static_cast<int>(*machine.quota)))}}});
  constexpr double full_model = 1e9; // make_model's size with 8 × (64 + 64) tokens: docs/testing.md
  const auto workspace = static_cast<double>(blas_workspace_bytes());
  if (machine.free_memory < workspace)
    warnings.push_back({"memory.workspace",
                        {{"free", format_bytes(machine.free_memory)}, {"workspace", format_bytes(workspace)}},
                        true});
  else if (machine.free_memory < full_model)
    warnings.push_back({"memory.little", {{"model", format_bytes(full_model)}}});
  return warnings;
}

} // namespace tfx
