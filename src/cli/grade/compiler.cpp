#include "cli/grade/compiler.hpp"

#include "cli/environment.hpp"
#include "core/error.hpp"
#include "io/file.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <system_error>

#include <sys/stat.h>

namespace tfx {

namespace {

namespace fs = std::filesystem;
using CommandLine = std::vector<std::string>;

// What a compiler needs to know of Armadillo, as pkg-config says it.
CommandLine armadillo_flags(const Surroundings& around, const ProgramLimits& limits,
                            const StopSignals& signals) {
  const ProgramEnd end =
      run_program({"pkg-config", "--cflags", "--libs", "armadillo"}, around, limits, signals);
  std::istringstream said(end.is_well() ? end.out : "-larmadillo");
  CommandLine flags;
  for (std::string flag; said >> flag;) flags.push_back(flag);
  return flags;
}

// A file as it was when the header was compiled: "size seconds nanoseconds path"; a package sets the times of
// its files, so an older time is a change too.
std::string state_of(const std::string& path) {
  struct stat seen {};
  if (stat(path.c_str(), &seen) != 0) return "gone " + path;
  return std::to_string(seen.st_size) + " " + std::to_string(seen.st_mtim.tv_sec) + " " +
         std::to_string(seen.st_mtim.tv_nsec) + " " + path;
}

// The files of a rule that a compiler writes for make, behind its target; none of a system header's names has
// a blank.
std::vector<std::string> files_in_rule(const std::string& rule) {
  std::istringstream words(rule.substr(std::min(rule.find(": ") + 1, rule.size())));
  std::vector<std::string> files;
  for (std::string word; words >> word;)
    if (word.starts_with('/')) files.push_back(word);
  return files;
}

// A header with Armadillo, compiled for one command line.
class CompiledHeader {
public:
  CompiledHeader(CommandLine line, const ProgramLimits& limits, const StopSignals& signals)
      : line_(std::move(line)), limits_(limits), signals_(signals), parent_(cache_folder()) {
    for (const std::string& word : line_) command_ += word + " ";
    folder_ = parent_ + "/c++-" + std::to_string(std::hash<std::string>()(command_));
    limits_.written = 1'000'000'000;
  }

  /// What a compiler is told to take it; nothing where there is none.
  CommandLine flags() {
    if (parent_.empty()) return {};
    if (!is_current()) make();
    if (!is_current() || !is_of_gcc(folder_)) return {};
    return {"-include", folder_ + "/" + header};
  }

  /// It will be made again.
  void forget() const {
    std::error_code error;
    fs::remove(folder_ + "/" + made_of, error);
  }

private:
  static constexpr const char* header = "with_armadillo.hpp";
  static constexpr const char* compiled_header = "with_armadillo.hpp.gch"; // as GCC looks for it
  static constexpr const char* made_of = "made_of";

  // The command and the state of each file that went in; what came out too, so that a damaged one is seen.
  bool is_current() const {
    std::ifstream lines(folder_ + "/" + made_of);
    std::string line;
    if (!std::getline(lines, line) || line != command_) return false;
    while (std::getline(lines, line)) {
      const std::size_t path = line.find('/');
      if (path == std::string::npos || state_of(line.substr(path)) != line) return false;
    }
    return true;
  }

  // clang's cannot be moved: it has its folder's name in it.
  static bool is_of_gcc(const std::string& folder) {
    std::ifstream file(folder + "/" + compiled_header, std::ios::binary);
    std::string magic(4, '\0');
    return file.read(magic.data(), 4) && magic == "gpch";
  }

  void make() {
    std::error_code error;
    fs::create_directories(parent_, error);
    constexpr std::uintmax_t room = 2'000'000'000;
    if (error || fs::space(parent_, error).available < room || error) return;
    remove_abandoned();
    std::string fresh = parent_ + "/new-XXXXXX";
    if (!mkdtemp(fresh.data())) return;
    if (compile_in(fresh)) take_place(fresh);
    fs::remove_all(fresh, error); // where it has not got its name
  }

  bool compile_in(const std::string& fresh) try {
    write_file_atomically(fresh + "/" + header, "#include <armadillo>\n");
    CommandLine line = line_;
    line.insert(line.end(), {"-x", "c++-header", "-MD", "-MF", "rule", header, "-o", compiled_header});
    if (!run_program(line, {fresh, true, ""}, limits_, signals_).is_well()) return false;
    const auto state_there = [&](const char* name) {
      const std::string here = state_of(fresh + "/" + name);
      return here.substr(0, here.find('/')) + folder_ + "/" + name + "\n";
    };
    std::string states = command_ + "\n" + state_there(header) + state_there(compiled_header);
    for (const std::string& file : files_in_rule(read_file(fresh + "/rule"))) states += state_of(file) + "\n";
    write_file_atomically(fresh + "/" + made_of, states);
    return true;
  } catch (const Error&) {
    return false;
  }

  // A whole folder takes the place of another one; whoever compiles meanwhile may find neither.
  void take_place(const std::string& fresh) const {
    const std::string old = fresh + ".old";
    std::rename(folder_.c_str(), old.c_str());
    std::rename(fresh.c_str(), folder_.c_str());
    std::error_code error;
    fs::remove_all(old, error);
  }

  // What a killed tfx left.
  void remove_abandoned() const {
    std::error_code error, gone;
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    for (fs::directory_iterator at(parent_, error), end; !error && at != end; at.increment(error))
      if (at->path().filename().string().starts_with("new-") &&
          fs::last_write_time(at->path(), gone) < long_ago)
        fs::remove_all(at->path(), gone);
  }

  CommandLine line_;
  ProgramLimits limits_;
  const StopSignals& signals_;
  std::string parent_, folder_, command_;
};

// What a program would see of the compiled header: macros that change Armadillo come too late there, and one
// without Armadillo would pay for it.
bool fits_compiled_header(const std::string& text) {
  return text.find("ARMA_") == std::string::npos && (text.find("<armadillo>") != std::string::npos ||
                                                     text.find("\"tfx_exercise.hpp\"") != std::string::npos);
}

// A message about the program names its file; a compiler that stumbles over its header has other words, or
// none.
bool is_about_program(const ProgramEnd& end, const std::string& name) {
  return end.err.find(name + ":") != std::string::npos &&
         end.err.find("internal compiler error") == std::string::npos;
}

} // namespace

Compiled compiled(const CppSource& source, const ProgramLimits& limits, const StopSignals& signals) {
  ProgramLimits patient = limits;
  patient.time = std::max<std::chrono::milliseconds>(limits.time, std::chrono::seconds(60));
  const Surroundings around{source.folder, true, ""};
  const char* chosen = std::getenv("CXX");
  CommandLine line = words_of_command(chosen && *chosen ? chosen : "c++");
  line.insert(line.end(), {"-std=c++17", "-O0", "-Werror=return-type"});
  const CommandLine flags = armadillo_flags(around, patient, signals);
  CommandLine of_header = line;
  for (const std::string& flag : flags) // with a library it would be linked, and is no program
    if (!flag.starts_with("-l") && !flag.starts_with("-L")) of_header.push_back(flag);
  CompiledHeader header(of_header, patient, signals);

  const std::string program = source.folder + "/program";
  if (!source.own_headers.empty()) line.insert(line.end(), {"-iquote", source.own_headers});
  const auto run = [&](const CommandLine& with) {
    CommandLine whole = line;
    whole.insert(whole.end(), with.begin(), with.end());
    whole.insert(whole.end(), {source.name, "-o", program});
    whole.insert(whole.end(), flags.begin(), flags.end());
    return run_program(whole, around, patient, signals);
  };
  const CommandLine with = fits_compiled_header(source.text) ? header.flags() : CommandLine();
  Compiled made{run(with), line[0], program};
  if (!with.empty() && !made.end.is_well() && !signals.caught() && !is_about_program(made.end, source.name)) {
    made.end = run({});
    if (made.end.is_well()) header.forget();
  }
  return made;
}

} // namespace tfx
