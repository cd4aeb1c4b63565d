// tfx grade FILE…: a learner's own programs on the series of their exercises, once or at every save.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/exercise/done.hpp"
#include "cli/grade/report.hpp"
#include "cli/grade/watch.hpp"
#include "cli/terminal_lines.hpp"

#include <memory>

namespace tfx {

namespace {

struct GradeOptions {
  std::vector<std::string> programs; ///< or with --run an exercise
  std::optional<std::string> run;
  std::string python = "python3";
  std::size_t seconds = 10;
  bool json = false, watch = false;

  ProgramLimits limits() const {
    ProgramLimits limits;
    limits.time = std::chrono::seconds(seconds);
    return limits;
  }
};

std::vector<Submission> submissions(const GradeOptions& options) {
  if (options.run) {
    if (options.programs.size() != 1) throw usage_error("one_exercise", {});
    return {submission_of(known_exercise(options.programs[0]), *options.run)};
  }
  std::vector<Submission> all;
  for (const std::string& file : options.programs) all.push_back(submission_of(file, options.python));
  return all;
}

// What the screen shows, and the progress keeps, of all of them.
void grade_all(const GradeOptions& options, Context& context, const StopSignals& signals) {
  const std::vector<Submission> all = submissions(options);
  const ProgramLimits limits = options.limits();
  const Style style = context.style();
  std::vector<std::vector<Case>> series;
  std::vector<Graded> graded;
  context.status = 0;
  for (const Submission& one : all) {
    series.push_back(series_of(*one.exercise));
    graded.push_back(grade(one, series.back(), limits, signals));
    if (graded.back().interrupted) {
      constexpr int signal_status = 128;
      context.out.clear();
      context.status = signal_status + graded.back().interrupted;
      return;
    }
    if (!graded.back().pass()) context.status = 1;
  }
  std::vector<GradedProgram> programs;
  for (std::size_t i = 0; i < all.size(); ++i) programs.push_back({all[i], series[i], graded[i], limits});
  if (options.json) {
    context.out = grade_json(programs, style);
    return;
  }
  for (const GradedProgram& program : programs) {
    if (!context.out.empty()) context.out += "\n";
    context.out += grade_screen(program, style);
    if (program.graded.pass()) record_written(program.submission.exercise->name, context);
  }
}

void run(const GradeOptions& options, Context& context) {
  if (options.programs.empty()) throw usage_error("nothing_to_grade", {});
  const StopSignals signals;
  if (!options.watch) return grade_all(options, context, signals);
  const auto again = [&] {
    context.out.clear();
    grade_all(options, context, signals);
    return context.out;
  };
  watch(options.programs, again, signals);
  constexpr int signal_status = 128;
  context.out.clear();
  context.status = signal_status + signals.caught();
}

} // namespace

void add_grade_command(CLI::App& app, Context& context) {
  using O = GradeOptions;
  const auto options = std::make_shared<O>();
  const auto start = [&context, options] { run(*options, context); };
  add_command(app, context, "grade", in_words("command.grade"), start, [options](CLI::App& command) {
    add_argument(command, "FILE", options->programs, in_words("grade.file"));
    const Option<O> run("--run", &O::run, value::text("COMMAND")),
        seconds("--seconds", &O::seconds, value::count(1, 3600)), watch("--watch", &O::watch);
    add_options<O>(command,
                   {run.described("grade--run"),
                    Option<O>("--python", &O::python, value::text("PROGRAM")).without({"--run"}),
                    seconds,
                    watch.without({"--json", "--run"}),
                    {"--json", &O::json}},
                   *options);
  });
}

} // namespace tfx
