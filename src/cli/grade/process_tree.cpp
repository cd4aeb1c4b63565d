#include "cli/grade/process_tree.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <unistd.h>

namespace tfx {

namespace {

namespace fs = std::filesystem;

struct Process {
  pid_t parent = 0, group = 0;
  double seconds = 0;
  std::size_t resident = 0;
};

// A line of /proc/PID/stat, proc(5): the name stands in brackets, and may hold any.
Process process_in(const std::string& line) {
  static const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  Process process;
  const std::size_t name_ends = line.rfind(')');
  if (name_ends == std::string::npos) return process;
  std::istringstream fields(line.substr(name_ends + 1));
  std::string state, skipped;
  fields >> state >> process.parent >> process.group;
  for (int i = 6; i < 14; ++i) fields >> skipped; // to the 14th field, utime
  double user = 0, system = 0, of_children = 0, in_system_of_children = 0;
  fields >> user >> system >> of_children >> in_system_of_children;
  process.seconds = (user + system + of_children + in_system_of_children) / ticks;
  for (int i = 18; i < 24; ++i) fields >> skipped; // to the 24th, rss
  std::size_t pages = 0;
  fields >> pages;
  process.resident = pages * page;
  return process;
}

std::map<pid_t, Process> all_processes() {
  std::map<pid_t, Process> all;
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string line;
    if (std::getline(std::ifstream(at->path() / "stat"), line)) all[std::stoi(name)] = process_in(line);
  }
  return all;
}

} // namespace

TreeUse use_of_tree(pid_t leader) {
  const std::map<pid_t, Process> all = all_processes();
  std::set<pid_t> tree{leader};
  for (std::size_t before = 0; before != tree.size();) { // a child may have a smaller number than its parent
    before = tree.size();
    for (const auto& [id, process] : all)
      if (process.group == leader || tree.contains(process.parent)) tree.insert(id);
  }
  TreeUse use;
  for (const pid_t id : tree)
    if (const auto found = all.find(id); found != all.end())
      use.seconds += found->second.seconds, use.resident += found->second.resident;
  return use;
}

} // namespace tfx
