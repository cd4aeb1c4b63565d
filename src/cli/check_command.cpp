// tfx check LESSON FILE: a learner's own arrays against the lesson's.

#include "cli/add_option.hpp"
#include "cli/check_json.hpp"
#include "cli/check_screen.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "lessons/run.hpp"
#include "text/utf8.hpp"

#include <memory>

namespace tfx {

namespace {

struct CheckOptions {
  std::string lesson, file;
  std::optional<std::string> tensor;
  bool json = false;
  InputOptions input;
};

void run_check(const CheckOptions& options, Context& context) {
  const Lesson& lesson = lesson_for("check", options.lesson, context);
  Content content = load_content(options.file);
  LessonRun run = run_lesson(lesson, options.input);
  context.notes = std::move(run.notes);
  FileArrays file = arrays_in(std::move(content), options.file, options.tensor, run.trace, context);
  const CheckReport report = check_arrays(run.trace, file.arrays);
  context.status = report.equal() ? 0 : 1;
  const CheckedFile checked{lesson,       options.file, repeat_options(options.input),
                            file.unknown, run.trace,    report};
  context.out = options.json ? check_json(checked) : check_screen(checked, context);
}

} // namespace

void add_check_command(CLI::App& app, Context& context) {
  const auto options = std::make_shared<CheckOptions>();
  CLI::App& command = add_command(app, context, "check", context.text("command.check"),
                                  [&context, options] { run_check(*options, context); });
  add_argument(command, "LESSON", options->lesson, context.text("explain.lesson"));
  add_argument(command, "FILE", options->file, context.text("check.file"));
  if (context.names("check")) {
    add_text(command, "--tensor", options->tensor, context, "NAME");
    add_flag(command, "--json", options->json, context);
    add_input_options(command, options->input, context);
    add_stage_options(command, options->input, context);
  }
}

} // namespace tfx
