#include "cli/grade/process_tree.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#endif

namespace tfx {

namespace {

struct Process {
  pid_t id = 0, parent = 0;
  char state = ' ';         ///< R runs, S sleeps, Z has ended and nobody has waited for it
  std::size_t resident = 0; ///< bytes

  bool has_ended() const { return state == 'Z'; }
};

// What stands in a file of a process's folder in `proc`, "4711/status"; nothing where the process is gone.
template <std::size_t room>
std::string_view read_of(int proc, std::string_view name, std::string_view file,
                         std::array<char, room>& text) {
  std::array<char, 64> path{};
  if (name.size() + file.size() >= path.size()) return {};
  std::copy(file.begin(), file.end(), std::copy(name.begin(), name.end(), path.begin()));
  const int opened = openat(proc, path.data(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return {};
  const ssize_t count = read(opened, text.data(), text.size());
  close(opened);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

// The number behind "\nPPid:\t", and behind its blanks.
std::size_t number_behind(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return 0;
  text.remove_prefix(std::min(text.find_first_not_of(" \t", at + name.size()), text.size()));
  std::size_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// From its status and not its stat, proc(5): who reads the stat of one that is just starting waits for it,
// and of those there may be hundreds. The name in the first line has no newline.
Process read_process(int proc, std::string_view name) {
  std::array<char, 4096> room{};
  const std::string_view status = read_of(proc, name, "/status", room);
  Process process;
  if (status.empty()) return process;
  std::from_chars(name.data(), name.data() + name.size(), process.id);
  process.parent = static_cast<pid_t>(number_behind(status, "\nPPid:"));
  process.resident = 1024 * number_behind(status, "\nVmRSS:");
  const std::size_t state = status.find("\nState:\t");
  constexpr std::size_t letter = 8;
  if (state != std::string_view::npos && state + letter < status.size())
    process.state = status[state + letter];
  return process;
}

// Calls visit(process) for each, in the order of their numbers. It takes no memory, as opendir would, and
// asks for a few names at a time, so that what is started meanwhile is met too.
template <class Visit>
void each_process(const Visit& visit) {
#ifdef __linux__
  const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (proc < 0) return;
  constexpr std::size_t length_at = 16, name_at = 19; // of a linux_dirent64, getdents64(2)
  alignas(8) std::array<char, 1024> entries{};
  for (long size = 0; (size = syscall(SYS_getdents64, proc, entries.data(), entries.size())) > 0;)
    for (const char* entry = entries.data(); entry < entries.data() + size;) {
      unsigned short length = 0;
      std::memcpy(&length, entry + length_at, sizeof length);
      const std::string_view name = entry + name_at;
      entry += length;
      if (name[0] < '0' || name[0] > '9') continue;
      if (const Process process = read_process(proc, name); process.id > 0) visit(process);
    }
  close(proc);
#else
  (void)visit;
#endif
}

std::map<pid_t, Process> all_processes() {
  std::map<pid_t, Process> all;
  each_process([&](const Process& process) { all[process.id] = process; });
  return all;
}

std::set<pid_t> tree_of(pid_t root, const std::map<pid_t, Process>& all) {
  std::set<pid_t> tree{root};
  for (std::size_t before = 0; before != tree.size();) { // a child may have a smaller number than its parent
    before = tree.size();
    for (const auto& [id, process] : all)
      if (tree.contains(process.parent)) tree.insert(id);
  }
  return tree;
}

// Of the processors.
double own_seconds(pid_t id) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(id, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Of the children that it has waited for: fields 16 and 17 of its stat, proc(5). The name, the second one,
// stands in brackets, and may hold any.
double seconds_of_children(pid_t id) {
  static const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::string skipped;
  for (int i = 3; i < 16; ++i) fields >> skipped;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / ticks;
}

} // namespace

TreeUse use_below(pid_t root) {
  const std::map<pid_t, Process> all = all_processes();
  const std::set<pid_t> tree = tree_of(root, all);
  TreeUse use;
  for (const auto& [id, process] : all)
    if (tree.contains(id)) {
      if (process.state == 'S') use.seconds += seconds_of_children(id);
      if (id == root) continue;
      use.seconds += own_seconds(id), use.resident += process.resident, use.processes += !process.has_ended();
    }
  return use;
}

std::size_t threads_of_machine() {
#ifdef __linux__
  struct sysinfo machine {};
  if (sysinfo(&machine) == 0) return machine.procs;
#endif
  return 0;
}

std::vector<pid_t> processes_below(pid_t root) {
  std::set<pid_t> tree = tree_of(root, all_processes());
  tree.erase(root);
  return {tree.begin(), tree.end()};
}

std::size_t signal_below(pid_t root, int signal, const std::vector<pid_t>& spared) {
  constexpr std::size_t numbers = 1 << 22; // Linux has no larger ones
  static std::bitset<numbers> tree;
  const auto is_in_tree = [](pid_t id) {
    return id > 0 && static_cast<std::size_t>(id) < numbers && tree[static_cast<std::size_t>(id)];
  };
  tree.reset();
  tree[static_cast<std::size_t>(root)] = true;
  const pid_t own_group = getpgrp();
  std::size_t alive = 0;
  each_process([&](const Process& process) {
    const auto number = static_cast<std::size_t>(process.id);
    if (!is_in_tree(process.parent) || number >= numbers) return;
    if (std::find(spared.begin(), spared.end(), process.id) != spared.end()) return;
    tree[number] = true;
    // A group gets it at once, so that none of its members can start another one in between.
    if (const pid_t group = getpgid(process.id); group > 1 && group != own_group) kill(-group, signal);
    kill(process.id, signal);
    alive += !process.has_ended();
  });
  return alive;
}

} // namespace tfx
