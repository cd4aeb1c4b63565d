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

TEST_CASE("memory that is left: the least of the groups, cached files count as free",
          "[core][control_group]") {
  const std::string group = "0::/user.slice/box.scope\n", root = "/sys/fs/cgroup",
                    box = root + "/user.slice/box.scope";
  CHECK(memory_left(files({{"/proc/self/cgroup", group},
                           {box + "/memory.max", "1000\n"},
                           {box + "/memory.current", "700\n"},
                           {box + "/memory.stat", "anon 500\nfile 200\ninactive_file 150\n"}})) == 450);
  CHECK(memory_left(files({{"/proc/self/cgroup", group},
                           {root + "/user.slice/memory.max", "800\n"},
                           {root + "/user.slice/memory.current", "700\n"},
                           {box + "/memory.max", "max\n"},
                           {box + "/memory.current", "600\n"}})) == 100);
  // Inside a container the mount point is the group itself.
  CHECK(memory_left(files({{"/proc/self/cgroup", "0::/\n"}, {root + "/memory.max", "4096"}})) == 4096);
  CHECK(memory_left(files({{"/proc/self/cgroup", "0::/\n"},
                           {root + "/memory.max", "4096"},
                           {root + "/memory.current", "5000"}})) == 0);
  CHECK_FALSE(memory_left(files({{"/proc/self/cgroup", group}, {box + "/memory.max", "max\n"}})));
  CHECK_FALSE(memory_left(files({})));
}

TEST_CASE("memory that version 1 leaves", "[core][control_group]") {
  const std::string folder = "/sys/fs/cgroup/memory/box";
  CHECK(memory_left(files({{"/proc/self/cgroup", "4:memory:/box\n2:cpu,cpuacct:/\n"},
                           {folder + "/memory.limit_in_bytes", "3000\n"},
                           {folder + "/memory.usage_in_bytes", "2000\n"},
                           {folder + "/memory.stat", "inactive_file 1\ntotal_inactive_file 500\n"}})) ==
        1500);
}
