#include "core/control_group.hpp"

#include "support/catch.hpp"

#include <map>

using namespace tfx;

namespace {

/// A file system of these files.
FileReader files(const std::map<std::string, std::string>& texts) {
  return [texts](const std::string& path) -> std::optional<std::string> {
    const auto found = texts.find(path);
    return found == texts.end() ? std::nullopt : std::optional(found->second);
  };
}

} // namespace

TEST_CASE("cpu.max is time over period", "[core][control_group]") {
  CHECK(quota_in("150000 100000\n") == 1.5);
  CHECK(quota_in("50000 100000") == 0.5);
  CHECK_FALSE(quota_in("max 100000\n"));
  CHECK_FALSE(quota_in(""));
  CHECK_FALSE(quota_in("100000"));
  CHECK_FALSE(quota_in("100000 0"));
  CHECK_FALSE(quota_in("-5 100000"));
}

TEST_CASE("version 2: the least of the group and those above it counts", "[core][control_group]") {
  const std::string group = "0::/system.slice/docker-1.scope\n";
  CHECK(processor_quota(files({{"/proc/self/cgroup", group},
                               {"/sys/fs/cgroup/system.slice/cpu.max", "100000 100000"},
                               {"/sys/fs/cgroup/system.slice/docker-1.scope/cpu.max", "200000 100000"}})) ==
        1.0);
  CHECK(processor_quota(files({{"/proc/self/cgroup", group},
                               {"/sys/fs/cgroup/system.slice/cpu.max", "max 100000"},
                               {"/sys/fs/cgroup/system.slice/docker-1.scope/cpu.max", "250000 100000"}})) ==
        2.5);
  // Inside a container the mount point is the group itself.
  CHECK(processor_quota(
            files({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "75000 50000"}})) == 1.5);
  CHECK(processor_quota(files({{"/proc/self/cgroup", group}, {"/sys/fs/cgroup/cpu.max", "75000 50000"}})) ==
        1.5);
}

TEST_CASE("version 1: the controller cpu has the quota", "[core][control_group]") {
  const std::string groups = "9:name=systemd:/\n4:memory:/box\n2:cpu,cpuacct:/box/inner\n0::/\n";
  CHECK(processor_quota(files({{"/proc/self/cgroup", groups},
                               {"/sys/fs/cgroup/cpu,cpuacct/box/inner/cpu.cfs_quota_us", "-1\n"},
                               {"/sys/fs/cgroup/cpu,cpuacct/box/inner/cpu.cfs_period_us", "100000\n"},
                               {"/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "300000\n"},
                               {"/sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n"}})) == 3.0);
  CHECK(processor_quota(files({{"/proc/self/cgroup", "1:cpu:/\n"},
                               {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"},
                               {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}})) == 0.5);
  // cpuset and cpuacct are other controllers.
  CHECK_FALSE(processor_quota(files({{"/proc/self/cgroup", "3:cpuset:/\n2:cpuacct:/\n"},
                                     {"/sys/fs/cgroup/cpuset/cpu.cfs_quota_us", "50000"},
                                     {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000"},
                                     {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"}})));
}

TEST_CASE("no groups, no files, and lines of another form are no limit", "[core][control_group]") {
  CHECK_FALSE(processor_quota(files({})));
  CHECK_FALSE(processor_quota(files({{"/proc/self/cgroup", "0::/a\n"}})));
  CHECK_FALSE(processor_quota(files({{"/proc/self/cgroup", "\n:\nnonsense\n0::\n0::relative/path\n"}})));
  CHECK_FALSE(
      processor_quota(files({{"/proc/self/cgroup", "0::/\n"}, {"/sys/fs/cgroup/cpu.max", "much\n"}})));
}
