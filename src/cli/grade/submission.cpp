#include "cli/grade/submission.hpp"

#include "cli/exercise/command.hpp"
#include "cli/grade/compiler.hpp"
#include "core/error.hpp"
#include "exercise/own_exercise.hpp"
#include "exercise/skeleton.hpp"
#include "io/file.hpp"
#include "io/message.hpp"
#include "io/npz.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string_view>

namespace tfx {

namespace {

namespace fs = std::filesystem;
using Trouble = Graded::Trouble;

bool is_cpp(const std::string& file) {
  const std::string extension = fs::path(file).extension().string();
  return extension == ".cpp" || extension == ".cc" || extension == ".cxx";
}

// A file's name may begin with a dash.
std::string as_path(const std::string& file) {
  return file.starts_with("-") ? "./" + file : file;
}

// The first error of a compiler, or else its last line.
std::string first_error(const ProgramEnd& end) {
  std::istringstream lines(end.err);
  for (std::string line; std::getline(lines, line);)
    if (line.find("error:") != std::string::npos) return line;
  return end.last_line();
}

// "main" of a linker's "undefined reference to `main'" or "undefined symbol: main".
std::optional<std::string> undefined_in(const ProgramEnd& end) {
  for (const std::string_view before : {"undefined reference to `", "undefined symbol: "}) {
    const std::size_t at = end.err.find(before);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + before.size();
    return end.err.substr(begin, end.err.find_first_of("'\n", begin) - begin);
  }
  return std::nullopt;
}

class Run {
public:
  Run(const Submission& submission, const std::vector<Case>& series, const ProgramLimits& limits,
      const StopSignals& signals)
      : submission_(submission), series_(series), limits_(limits), signals_(signals) {}

  Graded graded() {
    write_file_atomically(folder_.file("inputs.npz"), inputs_file(*submission_.exercise, series_));
    std::vector<std::string> command = submission_.command;
    std::vector<NamedArray> returned;
    if (submission_.file.empty() || prepare(command)) {
      command.insert(command.end(), {folder_.file("inputs.npz"), folder_.file("results.npz")});
      const ProgramEnd end = run_program(command, surroundings(), limits_, signals_);
      graded_.printed = end.out;
      judge(end, command[0]);
      returned = read_results();
    }
    graded_.grading = tfx::graded(*submission_.exercise, series_, std::move(returned));
    if (graded_.grading.pass() && was_slow_to_end()) graded_.trouble = Trouble::none;
    return std::move(graded_);
  }

private:
  // The folder of the learner's own file, where they may have more of their own.
  std::string neighbourhood() const {
    return submission_.sees_neighbours ? fs::absolute(submission_.file).parent_path().string() : "";
  }

  Surroundings surroundings() const {
    const bool is_file = !submission_.file.empty();
    return {folder_.path(), is_file, is_file && !submission_.command.empty() ? neighbourhood() : ""};
  }

  // As the file is called, but for a program called like a module of Python: NumPy would import it.
  std::string copy_name() const {
    const fs::path name = fs::path(submission_.file).filename();
    const bool is_taken = !submission_.command.empty() && is_python_module(name.stem().string());
    return is_taken ? "hand-in-" + name.string() : name.string();
  }

  // A copy of the file is run: what it does to itself is done to that one. False where it cannot be compiled.
  bool prepare(std::vector<std::string>& command) {
    const std::string name = copy_name();
    write_file_atomically(folder_.file(name), submission_.text);
    if (command.empty()) return compile(name, command);
    command.push_back(folder_.file(name));
    return true;
  }

  bool compile(const std::string& name, std::vector<std::string>& command) {
    const ProgramFile header = skeleton(*submission_.exercise, ProgramLanguage::cpp).back();
    const std::string neighbours = neighbourhood();
    if (neighbours.empty() ||
        !fs::exists(fs::path(neighbours) / header.name)) // their own serves all their files
      write_file_atomically(folder_.file(header.name), header.text);
    const Compiled made =
        compiled({as_path(name), submission_.text, folder_.path(), neighbours}, limits_, signals_);
    if (made.end.is_well()) return command = {made.program}, true;
    judge(made.end, made.compiler);
    if (graded_.trouble == Trouble::crashed)
      graded_.trouble = Trouble::not_compiled, graded_.message = Message::given(first_error(made.end));
    if (const auto undefined = undefined_in(made.end); undefined && graded_.trouble == Trouble::not_compiled)
      graded_.trouble = Trouble::not_linked, graded_.message = Message::given(*undefined);
    return false;
  }

  void judge(const ProgramEnd& end, const std::string& program) {
    const std::string last = end.last_line();
    graded_.message = Message::given(last);
    switch (end.how) {
    case ProgramEnd::How::not_started:
      graded_.trouble = Trouble::no_program,
      graded_.message = said("{file}: {what}", {{"file", program}, {"what", why_not(end.status)}});
      return;
    case ProgramEnd::How::timed_out: graded_.trouble = Trouble::timed_out; return;
    case ProgramEnd::How::waited: graded_.trouble = Trouble::waited; return;
    case ProgramEnd::How::too_large: graded_.trouble = Trouble::too_large; return;
    case ProgramEnd::How::too_many: graded_.trouble = Trouble::too_many; return;
    case ProgramEnd::How::flooded: graded_.trouble = Trouble::flooded; return;
    case ProgramEnd::How::interrupted: graded_.interrupted = end.status; return;
    case ProgramEnd::How::signalled:
      graded_.trouble = Trouble::crashed;
      if (last.empty()) graded_.message = Message::given(strsignal(end.status));
      return;
    case ProgramEnd::How::exited: break;
    }
    if (end.status == 0) return;
    const auto says = [&](const char* text) { return last.find(text) != std::string::npos; };
    graded_.trouble = says("NotImplementedError") || says("not implemented: ") ? Trouble::hole
                      : says("No module named 'numpy'") || says("No module named 'torch'")
                          ? Trouble::no_module
                      : says("MemoryError") || says("bad_alloc") || says("Unable to allocate") ||
                              says("can't allocate memory")
                          ? Trouble::too_large
                          : Trouble::crashed;
    if (const auto type = returned_instead_of_dict(last);
        type && end.err.find("for name, x in") != std::string::npos) {
      graded_.trouble = Trouble::no_return;
      graded_.message = Message::given(*type == "NoneType" ? "" : *type);
      return;
    }
    if (graded_.trouble == Trouble::crashed) add_line(end.err);
    if (graded_.message.empty()) graded_.message = said("exit status {status}", {{"status", end.status}});
  }

  // All results were there before it was stopped.
  bool was_slow_to_end() const {
    return graded_.trouble == Trouble::timed_out || graded_.trouble == Trouble::waited;
  }

  // "NoneType" of "'NoneType' object has no attribute 'items'", which the lines at the bottom ask for.
  static std::optional<std::string> returned_instead_of_dict(const std::string& message) {
    const std::size_t end = message.find("' object has no attribute 'items'");
    const std::size_t begin = end == std::string::npos ? end : message.rfind('\'', end - 1);
    if (begin == std::string::npos) return std::nullopt;
    return message.substr(begin + 1, end - begin - 1);
  }

  // Where in the learner's file it was: the last place of the traceback that is there.
  void add_line(const std::string& traceback) {
    const std::string place = copy_name() + "\", line ";
    const std::size_t at = submission_.file.empty() ? std::string::npos : traceback.rfind(place);
    if (at == std::string::npos) return;
    const std::size_t start = at + place.size(), end = traceback.find_first_not_of("0123456789", start);
    graded_.message = said("line {line}: {what}",
                           {{"line", traceback.substr(start, end - start)}, {"what", graded_.message}});
  }

  // An array that cannot be read is not returned; why is said where nothing worse is.
  std::vector<NamedArray> read_results() {
    std::vector<NamedArray> returned;
    const std::string path = folder_.file("results.npz");
    std::error_code closed; // the program may have taken away the rights to its folder
    if (!fs::is_regular_file(fs::symlink_status(path, closed))) {
      if (graded_.trouble == Trouble::none) graded_.trouble = Trouble::no_results;
      return returned;
    }
    try {
      const std::string bytes = read_file(path);
      const NpzReader reader(bytes, FileName(said("the results' file")));
      for (const std::string& name : reader.names()) read_one(reader, name, returned);
    } catch (const Error& error) {
      note_unreadable(error);
    }
    return returned;
  }

  void read_one(const NpzReader& reader, const std::string& name, std::vector<NamedArray>& returned) {
    try {
      returned.push_back({name, reader.read(name)});
    } catch (const Error& error) {
      note_unreadable(error);
    }
  }

  void note_unreadable(const Error& error) {
    if (graded_.trouble != Trouble::none) return;
    graded_.trouble = Trouble::bad_results, graded_.message = error.message();
  }

  const Submission& submission_;
  const std::vector<Case>& series_;
  const ProgramLimits& limits_;
  const StopSignals& signals_;
  const PrivateFolder folder_;
  Graded graded_;
};

} // namespace

void require_plain_file(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status)) return;
  throw error_in_words(ErrorKind::no_input, "grade.no_file", {{"file", printable(file)}});
}

Submission submission_of(const std::string& file, const std::string& python,
                         std::shared_ptr<const Exercise> exercise) {
  require_plain_file(file);
  const std::string text = read_file(file);
  const std::map<std::string, std::string> values = {{"file", printable(file)}};
  const bool cpp = is_cpp(file);
  if (!cpp && fs::path(file).extension() != ".py")
    throw error_in_words(ErrorKind::bad_data, "grade.no_program", values);
  const std::optional<std::string> named_by_program = exercise_of_program(text);
  if (!exercise) {
    const Exercise* named = exercise_named(named_by_program.value_or(fs::path(file).stem().string()));
    if (!named) throw error_in_words(ErrorKind::bad_data, "grade.no_exercise", values);
    exercise = {std::shared_ptr<void>(), named};
  } else if (named_by_program && *named_by_program != exercise->name) {
    throw data_error("grade.other_exercise",
                     {{"file", printable(file)}, {"said", *named_by_program}, {"name", exercise->name}});
  }
  if (cpp) return {exercise, file, file, {}, ProgramLanguage::cpp, text};
  const bool torch = text.find("import torch") != std::string::npos;
  return {exercise, file, file, {python}, torch ? ProgramLanguage::torch : ProgramLanguage::numpy, text};
}

Submission submission_of(std::shared_ptr<const Exercise> exercise, const std::string& command) {
  const std::vector<std::string> words = words_of_command(command);
  if (words.empty()) throw usage_error("empty_command", {});
  return {std::move(exercise), command, "", words, ProgramLanguage::numpy, ""};
}

Graded grade(const Submission& submission, const std::vector<Case>& series, const ProgramLimits& limits,
             const StopSignals& signals) {
  return Run(submission, series, limits, signals).graded();
}

} // namespace tfx
