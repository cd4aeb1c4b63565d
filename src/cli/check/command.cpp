// tfx check LESSON FILE: a learner's own arrays against the lesson's.

#include "cli/add_option.hpp"
#include "cli/check/arrays.hpp"
#include "cli/check/report.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "input/files.hpp"
#include "judge/check_report.hpp"
#include "lessons/run.hpp"
#include "options/parse.hpp"
#include "text/utf8.hpp"

namespace tfx {

namespace {

struct CheckOptions {
  std::string lesson, file;
  std::optional<std::string> tensor;
  std::vector<std::string> require;
  std::optional<double> tolerance;
  bool no_answer = false;
  InputOptions input;
  ShowOptions show;
};

const std::vector<Option<CheckOptions>>& check_options() {
  using O = CheckOptions;
  static const std::vector<Option<O>> table{
      {"--tensor", &O::tensor, value::text("NAME")},
      Option<O>("--require", &O::require, value::names()).without({"--tensor"}),
      {"--tolerance", &O::tolerance, value::number("T", 0, 1)},
      {"--no-answer", &O::no_answer}};
  return table;
}

// What has to be equal for the whole to be: as the command line says, else the lesson's result.
std::vector<std::string> wanted(const CheckOptions& options, const Lesson& lesson, const Trace& right) {
  if (options.tensor) return {*options.tensor};
  if (options.require.empty()) return parse_names("--require", lesson.result);
  for (const std::string& name : options.require) tensor_named(right, name);
  return options.require;
}

// Of each number, and a tenth of it of the largest: what sums that cancel leave.
std::optional<Tolerance> tolerance_asked(const CheckOptions& options) {
  if (!options.tolerance) return std::nullopt;
  return Tolerance{*options.tolerance, *options.tolerance / 10};
}

Report run(const CheckOptions& options, Context& context) {
  const Lesson& lesson = lesson_for("check", options.lesson);
  if (options.show.save) require_page(*options.show.save);
  Content content = load_content(options.file);
  refuse_unfit(lesson, options.input);
  LessonRun right = run_lesson(lesson, options.input);
  context.notes = std::move(right.notes);
  if (content.text) note_header(options.file, content.arrays[0].array.header, context.notes);
  const std::vector<std::string> names = wanted(options, lesson, right.trace);
  FileArrays file = arrays_in(std::move(content), options.file, options.tensor, right.trace);
  CheckReport report = check_arrays(right.trace, file.arrays, tolerance_asked(options), names);
  tell_option(report, lesson, options.input, right.trace, file.arrays, tolerance_asked(options));
  if (report.equal()) require_answer(names, file, options.file, lesson, right.trace);
  const Screen frame = screen_of(lesson, options.input, right.trace);
  return check_report({lesson, options.file, typed_again(check_options(), options), frame.options, frame.next,
                       names, file.unknown, std::make_shared<const Trace>(std::move(right.trace)),
                       std::move(report), options.no_answer ? RightAnswer::hidden : RightAnswer::shown},
                      context.style());
}

} // namespace

Command check_command() {
  using O = CheckOptions;
  return report_row<O, run>("check", [](CLI::App& command, O& o, Context&) {
    add_argument(command, "LESSON", o.lesson, in_words("explain.lesson"));
    add_file_argument(command, "FILE", o.file, in_words("check.file"));
    add_options(command, check_options(), o);
    add_options(command, page_options(), o.show);
    add_options(command, input_options(), o.input);
  });
}

} // namespace tfx
