// tfx grade FILE…: a learner's own programs on the series of their exercises, once or again at every save.

#include "cli/exercise/command.hpp"
#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/grade/class.hpp"
#include "cli/grade/report.hpp"
#include "cli/lesson/save.hpp"
#include "cli/options.hpp"
#include "cli/stop_signal.hpp"
#include "cli/terminal_lines.hpp"
#include "core/error.hpp"
#include "exercise/skeleton.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "io/message.hpp"
#include "lessons/run.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace tfx {

namespace {

// What changes with a save: a new file in the old one's place, its size, its time to the nanosecond.
struct Saved {
  ino_t file = 0;
  off_t size = -1;
  time_t seconds = 0;
  long nanoseconds = 0;

  bool operator==(const Saved&) const = default;
};

std::vector<Saved> look_at(const std::vector<std::string>& files) {
  std::vector<Saved> all;
  for (const std::string& file : files) {
    struct stat seen {};
    Saved& one = all.emplace_back();
    if (stat(file.c_str(), &seen) == 0)
      one = {seen.st_ino, seen.st_size, seen.st_mtim.tv_sec, seen.st_mtim.tv_nsec};
  }
  return all;
}

// What would end a single run is told, and the next save waited for: an editor may be half-way.
std::string told(const std::function<std::string()>& again) {
  try {
    return again();
  } catch (const Error& error) {
    std::string text = in_learners_language(error.message()) + "\n";
    if (!error.hint().empty()) text += in_learners_language(error.hint()) + "\n";
    return text;
  }
}

/// Says what `again` gives, now and whenever one of the files has changed and is whole again, until a signal
/// comes. At a terminal the new screen stands where the old one stood; elsewhere below it, and only where it
/// is another one. A file that changes while it is graded was saved meanwhile and is graded again; where it
/// changes then too, the program does that itself, which is said, and waited for no more.
void watch(const std::vector<std::string>& files, const std::function<std::string()>& again,
           const StopSignals& signals) {
  constexpr std::chrono::milliseconds pause(100);
  const bool is_terminal = shows_screen();
  const std::string home_and_clear = "\x1b[H\x1b[J";
  std::vector<Saved> graded, last;
  std::string shown;
  bool changed_meanwhile = false;
  if (is_terminal) say("\x1b[2J");
  while (!signals.caught()) {
    const std::vector<Saved> now = look_at(files);
    if (now != graded && now == last) { // changed, and still since the last look
      graded = now;
      std::string screen = told(again);
      if (signals.caught()) break;
      const std::vector<Saved> after = look_at(files); // nothing of a program runs any more
      const bool changed_again = changed_meanwhile && after != graded;
      changed_meanwhile = after != graded && !changed_again;
      if (changed_again) graded = after, screen += in_words("grade.rewritten") + "\n";
      if (is_terminal)
        say(home_and_clear + screen + in_words("grade.watching") + "\n");
      else if (screen != shown)
        say(screen + "\n");
      shown = screen;
    }
    last = now;
    std::this_thread::sleep_for(pause);
  }
}

struct GradeOptions {
  std::vector<std::string> programs; ///< or with --run an exercise
  std::optional<std::string> run, folder, roster, out;
  std::optional<std::uint32_t> seed; ///< of the numbers of every series
  InputOptions input;                ///< of a class
  std::string python = "python3";
  std::size_t seconds = 20;
  std::optional<std::string> memory; ///< GB, or of a class the file that its lesson calls so
  bool watch = false;
  ShowOptions show;

  std::optional<double> memory_asked() const {
    if (!memory || (folder && std::filesystem::exists(*memory))) return std::nullopt;
    return value::number("GB", 0.1, 4096).read("--memory", *memory);
  }

  ProgramLimits limits() const {
    ProgramLimits limits;
    limits.time = std::chrono::seconds(seconds);
    if (const auto gigabytes = memory_asked()) limits.memory = static_cast<std::size_t>(*gigabytes * 1e9);
    return limits;
  }
};

// Those that a screen repeats.
const std::vector<Option<GradeOptions>>& grade_options() {
  using O = GradeOptions;
  static const std::vector<Option<O>> table{
      Option<O>("--run", &O::run, value::text("COMMAND")).described("grade--run"),
      Option<O>("--python", &O::python, value::text("PROGRAM")).without({"--run"}),
      {"--seconds", &O::seconds, value::count(1, 3600)},
      Option<O>("--memory", &O::memory, value::text("GB")).described("grade--memory"),
      Option<O>("--seed", &O::seed, value::seed()).described("grade--seed")};
  return table;
}

// --memory is the limit in GB; of a class whose lesson is cross an existing file is the lesson's --memory.
void take_memory(GradeOptions& options) {
  if (options.memory && !options.memory_asked()) options.input.memory = options.memory;
}

std::vector<Submission> submissions(const GradeOptions& options) {
  if (options.run) {
    if (options.programs.size() != 1) throw usage_error("one_exercise", {});
    return {submission_of(known_exercise(options.programs[0]), *options.run)};
  }
  // A teacher's own exercise stands before the programs.
  const bool is_own = is_own_exercise(options.programs[0]);
  if (is_own && options.programs.size() == 1) throw usage_error("nothing_to_grade", {});
  const auto exercise = is_own ? known_exercise(options.programs[0]) : nullptr;
  std::vector<Submission> all;
  for (std::size_t i = is_own; i < options.programs.size(); ++i)
    all.push_back(submission_of(options.programs[i], options.python, exercise));
  return all;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error) ||
         std::filesystem::equivalent(a, b, error);
}

// The table must not take the place of what it is made from.
void require_other_file(const std::string& out, const GradeOptions& options,
                        const std::vector<Student>& students) {
  const auto refuse = [&](const std::string& what) {
    throw error_in_words(ErrorKind::usage, "class.out_is_input", {{"file", printable(out)}, {"what", what}});
  };
  if (is_same_file(out, *options.roster)) refuse(in_words("class.out_is_input.roster"));
  for (const Student& student : students)
    for (const std::string& file : possible_files(*options.folder, student.id))
      if (is_same_file(out, file)) refuse(in_words("class.out_is_input.student", {{"id", student.id}}));
}

// A table of a whole class: who is right, and what each is told.
void grade_students(const GradeOptions& options, Context& context, const StopSignals& signals) {
  if (options.programs.size() != 1) throw usage_error("one_exercise", {});
  const auto exercise = known_exercise(options.programs[0]);
  const Lesson* lesson = lesson_of(*exercise);
  if (lesson) refuse_unfit(*lesson, options.input);
  for (const auto& row : input_options())
    if (!lesson && row.given(options.input)) throw usage_error("own_options", {{"name", row.name}});
  if (!options.roster || !options.out) throw usage_error("class_needs", {});
  const std::vector<Student> students = parse_roster(read_text(*options.roster), *options.roster);
  if (!std::filesystem::is_directory(*options.folder))
    throw error_in_words(ErrorKind::no_input, "class.no_folder",
                         {{"file", escape_controls(*options.folder)}});
  if (lesson) { // options that cannot be are no student's fault
    const auto drawn =
        std::ranges::find_if(students, [](const Student& one) { return one.seed.has_value(); });
    InputOptions first = options.input;
    if (drawn != students.end()) first.seed = drawn->seed;
    run_lesson(*lesson, first, RunFor::values);
  }
  require_other_file(*options.out, options, students);
  require_writable(*options.out);
  const ClassTask task{exercise, *options.folder, options.python, options.limits(), options.input};
  const std::vector<StudentResult> results = grade_class(task, students, context.style(), signals);
  if (signals.caught()) {
    constexpr int signal_status = 128;
    context.status = signal_status + signals.caught();
    return;
  }
  write_file_atomically(*options.out, class_table(results));
  const auto right = std::ranges::count(results, "right", &StudentResult::verdict);
  context.out = in_words("class.done", {{"right", std::to_string(right)},
                                        {"all", std::to_string(results.size())},
                                        {"file", escape_controls(*options.out)}}) +
                "\n";
}

std::string typed(const GradeOptions& options) {
  std::string command = "grade";
  for (const std::string& one : options.programs) command += " " + shell_quoted(one);
  return escape_controls(command + typed_again(grade_options(), options));
}

// What the screen shows, and the progress keeps, of all of them.
void grade_all(const GradeOptions& options, Context& context, const StopSignals& signals) {
  const std::vector<Submission> all = submissions(options);
  if (options.show.save) require_page(*options.show.save);
  const ProgramLimits limits = options.limits();
  std::vector<std::vector<Case>> series;
  std::vector<Graded> graded;
  for (const Submission& one : all) {
    if (options.seed && one.exercise->own) throw usage_error("own_options", {{"name", "--seed"}});
    series.push_back(series_of(*one.exercise, options.seed));
    graded.push_back(grade(one, series.back(), limits, signals));
    if (graded.back().interrupted) {
      constexpr int signal_status = 128;
      context.status = signal_status + graded.back().interrupted;
      return;
    }
  }
  std::vector<GradedProgram> programs;
  for (std::size_t i = 0; i < all.size(); ++i)
    programs.push_back({all[i], series[i], graded[i], limits, options.seed});
  show(grade_report(programs, typed(options), context.style()), options.show, context);
  if (options.show.json) return;
  for (const GradedProgram& program : programs)
    if (const Exercise& exercise = *program.submission.exercise; program.graded.pass() && !exercise.own)
      record_written(exercise.name, context);
}

void run(const GradeOptions& options, Context& context) {
  if (options.programs.empty()) throw usage_error("nothing_to_grade", {});
  const StopSignals signals;
  if (options.folder) return grade_students(options, context, signals);
  if (!options.watch) return grade_all(options, context, signals);
  const auto again = [&] {
    grade_all(options, context, signals);
    return std::exchange(context.out, {});
  };
  watch(options.programs, again, signals);
  constexpr int signal_status = 128;
  context.status = signal_status + signals.caught();
}

} // namespace

Command grade_command() {
  using O = GradeOptions;
  const auto start = [](const O& given, Context& context) {
    O o = given;
    take_memory(o);
    run(o, context);
  };
  return command_row<O>("grade", start, [](CLI::App& command, O& o, Context&) {
    add_argument(command, "FILE", o.programs, in_words("grade.file"));
    add_options(command, grade_options(), o);
    add_options(command, page_options(), o.show);
    const Option<O> watch("--watch", &O::watch), folder("--class", &O::folder, value::text("DIR"));
    add_options<O>(
        command,
        {watch.without({"--json", "--save", "--run"}),
         folder.beside({"--roster"}).without({"--run", "--seed", "--watch", "--json", "--save"}),
         Option<O>("--roster", &O::roster, value::text("FILE")).beside({"--class"}),
         Option<O>("--out", &O::out, value::text("FILE")).beside({"--class"}).described("grade--out")},
        o);
    // Of the lesson that a class's arrays are of; the seeds are the roster's.
    std::vector<Option<InputOptions, InputRules>> rows;
    for (const auto& row : input_options())
      if (row.name != "--seed" && row.name != "--grad" && row.name != "--memory")
        rows.push_back(row.beside({"--class"}));
    add_options(command, rows, o.input);
  });
}

} // namespace tfx
