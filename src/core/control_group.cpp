#include "core/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tfx {

namespace {

using Quota = std::optional<double>;

Quota quotient(double allowed, double period) {
  return allowed > 0 && period > 0 ? Quota(allowed / period) : Quota(); // version 1 writes -1 for no limit
}

Quota least(Quota a, Quota b) {
  return a && b ? std::min(a, b) : a ? a : b;
}

Quota quota_of_version_1(const FileReader& read, const std::string& folder) {
  const auto number = [&](const char* name) {
    double value = 0;
    std::istringstream(read(folder + name).value_or("")) >> value;
    return value;
  };
  return quotient(number("/cpu.cfs_quota_us"), number("/cpu.cfs_period_us"));
}

/// `quota` of the group's folder and of each above it, up to the mount point. Inside a container the upper
/// part of the path may not be there: then only the mount point is.
template <class QuotaOf>
Quota least_upwards(std::string group, QuotaOf&& quota) {
  Quota allowed = quota("");
  for (; group.size() > 1; group.resize(group.rfind('/'))) allowed = least(allowed, quota(group));
  return allowed;
}

bool is_in_list(std::string_view list, std::string_view word) {
  return ("," + std::string(list) + ",").find("," + std::string(word) + ",") != std::string::npos;
}

} // namespace

std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return {};
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<double> quota_in(std::string_view cpu_max) {
  double allowed = 0, period = 0;
  std::istringstream text{std::string(cpu_max)};
  return text >> allowed >> period ? quotient(allowed, period) : Quota();
}

std::optional<double> processor_quota(const FileReader& read) {
  Quota allowed;
  std::istringstream groups(read("/proc/self/cgroup").value_or(""));
  for (std::string line;
       std::getline(groups, line);) { // "hierarchy:controllers:/path", version 2: "0::/path"
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (!group.starts_with('/')) continue;
    if (controllers.empty())
      allowed = least(allowed, least_upwards(group, [&](const std::string& path) {
                        return quota_in(read("/sys/fs/cgroup" + path + "/cpu.max").value_or(""));
                      }));
    else if (is_in_list(controllers, "cpu"))
      for (const std::string& mount : {controllers, std::string("cpu")})
        allowed = least(allowed, least_upwards(group, [&](const std::string& path) {
                          return quota_of_version_1(read, "/sys/fs/cgroup/" + mount + path);
                        }));
  }
  return allowed;
}

} // namespace tfx
