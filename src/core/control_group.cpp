#include "core/control_group.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace tfx {

namespace {

using Quota = std::optional<double>;

Quota quotient(double allowed, double period) {
  return allowed > 0 && period > 0 ? Quota(allowed / period) : Quota(); // version 1 writes -1 for no limit
}

Quota min_quota(Quota a, Quota b) {
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
Quota min_quota_upwards(std::string group, QuotaOf&& quota) {
  Quota allowed = quota("");
  for (; group.size() > 1; group.resize(group.rfind('/'))) allowed = min_quota(allowed, quota(group));
  return allowed;
}

bool is_in_list(std::string_view list, std::string_view word) {
  return ("," + std::string(list) + ",").find("," + std::string(word) + ",") != std::string::npos;
}

/// The least of what the groups of this process allow that have this controller, and those above them.
template <class Version1, class Version2>
Quota min_quota_of_groups(const FileReader& read, const std::string& controller, Version1&& version_1,
                          Version2&& version_2) {
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
      allowed = min_quota(allowed, min_quota_upwards(group, [&](const std::string& path) {
                            return version_2("/sys/fs/cgroup" + path);
                          }));
    else if (is_in_list(controllers, controller))
      for (const std::string& mount : std::set{controllers, controller})
        allowed = min_quota(allowed, min_quota_upwards(group, [&](const std::string& path) {
                              return version_1("/sys/fs/cgroup/" + mount + path);
                            }));
  }
  return allowed;
}

/// What a version calls a group's limit, what is taken of it, and the part of that which is cached files.
struct MemoryNames {
  const char *limit, *used, *cached;
};

/// Cached files give way to a process that needs their memory.
Quota left_of(const FileReader& read, const std::string& folder, const MemoryNames& names) {
  constexpr double no_limit = 0x1p62; // version 1 writes the largest number of memory pages, version 2 "max"
  double limit = 0, used = 0, cached = 0;
  if (!(std::istringstream(read(folder + names.limit).value_or("")) >> limit) || limit >= no_limit) return {};
  std::istringstream(read(folder + names.used).value_or("")) >> used;
  std::istringstream statistics(read(folder + "/memory.stat").value_or(""));
  std::string key;
  for (double value = 0; statistics >> key >> value;)
    if (key == names.cached) cached = value;
  return std::clamp(limit - (used - cached), 0.0, limit);
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
  return min_quota_of_groups(
      read, "cpu", [&](const std::string& folder) { return quota_of_version_1(read, folder); },
      [&](const std::string& folder) { return quota_in(read(folder + "/cpu.max").value_or("")); });
}

std::optional<double> memory_left(const FileReader& read) {
  return min_quota_of_groups(
      read, "memory",
      [&](const std::string& folder) {
        return left_of(read, folder,
                       {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"});
      },
      [&](const std::string& folder) {
        return left_of(read, folder, {"/memory.max", "/memory.current", "inactive_file"});
      });
}

} // namespace tfx
