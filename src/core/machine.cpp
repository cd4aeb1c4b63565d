#include "core/machine.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"

#include <algorithm>

#include <sys/resource.h>
#include <unistd.h>

namespace tfx {

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

std::string chosen_in(std::string_view choices) {
  const auto open = choices.find('['), close = choices.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return std::string(choices.substr(open + 1, close - open - 1));
}

Machine look_at_machine(const FileReader& read) {
  Machine machine;
  machine.processor = processor_in(read("/proc/cpuinfo").value_or(""));
  machine.isa = isa(), machine.widest_isa = widest_isa();
  machine.blas = blas_library();
  machine.environment = speed_variables(environ);
  machine.usable = processors(), machine.threads = threads();
  const auto system = [](int name) { return static_cast<double>(std::max(0L, sysconf(name))); };
  machine.online = std::max(machine.usable, static_cast<std::size_t>(system(_SC_NPROCESSORS_ONLN)));
  machine.quota = processor_quota(read);
  machine.huge_pages = chosen_in(read("/sys/kernel/mm/transparent_hugepage/enabled").value_or(""));
  machine.memory = system(_SC_PHYS_PAGES) * system(_SC_PAGESIZE);
  machine.free_memory = static_cast<double>(available_memory());
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    machine.address_space = static_cast<double>(limit.rlim_cur);
  return machine;
}

} // namespace tfx
