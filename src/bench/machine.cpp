#include "bench/machine.hpp"

#include "bench/limits.hpp"
#include "core/blas.hpp"
#include "core/parallel.hpp"

#include <algorithm>
#include <fstream>
#include <string_view>

#include <unistd.h>

namespace tfx::bench {

namespace {

/// "model name	: AMD EPYC 9R14" → "AMD EPYC 9R14"; of the first processor, they are alike.
std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> blas_overrides() {
  std::vector<std::pair<std::string, std::string>> found;
  for (char** one = environ; *one; ++one) {
    const std::string_view setting = *one;
    if (const std::size_t equals = setting.find('=');
        setting.starts_with("OPENBLAS_") && equals != setting.npos)
      found.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  std::ranges::sort(found);
  return found;
}

} // namespace

Machine this_machine() {
  return {cpu_name(), std::string(widest_vectors()), blas_core_name(), threads(), blas_overrides()};
}

} // namespace tfx::bench
