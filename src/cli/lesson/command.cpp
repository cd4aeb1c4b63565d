// tfx scores, tfx softmax, …: run a lesson, save it, print it.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/learn_commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/lesson/step.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "lessons/run.hpp"
#include "render/json.hpp"
#include "render/terminal.hpp"
#include "words/lesson_words.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

namespace {

struct LessonOptions {
  InputOptions input;
  OutputOptions output;
  bool step = false;
};

void run_command(const Lesson& lesson, const LessonOptions& options, Context& context) {
  LessonRun run = run_lesson(lesson, options.input);
  context.notes = run.notes;
  context.status = std::all_of(run.trace.checks.begin(), run.trace.checks.end(),
                               [](const Check& check) { return check.pass; })
                       ? 0
                       : 1;
  std::set<std::string> only;
  for (const std::string& name : options.output.show) only.insert(tensor_named(run.trace, name));
  Screen screen = screen_of(lesson, options.input, run.trace);
  screen.quiet = options.output.quiet;
  screen.with_time = !options.output.no_time;
  screen.only = only;
  if (options.output.save) save_trace(run.trace, *options.output.save, screen, context);
  if (options.output.json) {
    context.out = render_json(run.trace, {!options.output.no_time, only});
  } else {
    translate_sources(run.trace);
    const Words words = words_in(lesson.folder);
    if (options.step)
      step_through(run.trace, screen, words, options.input.seed.value_or(42), context);
    else
      context.out = render_screen(run.trace, screen, words, context.style());
  }
}

} // namespace

void show_lesson(const Lesson& lesson, Context& context) {
  run_command(lesson, {}, context);
}

void add_lesson_command(CLI::App& app, Context& context, const Lesson& lesson) {
  const auto options = std::make_shared<LessonOptions>();
  CLI::App& command = add_command(app, context, lesson.command, title_in(lesson.folder),
                                  [&context, &lesson, options] { run_command(lesson, *options, context); });
  if (context.names(lesson.command)) {
    add_options<InputOptions, InputRules>(command, input_options(), options->input, &lesson);
    add_output_options(command, options->output, context);
    const AddedOption step = add_flag(command, "--step", options->step);
    for (const char* other : {"--json", "--quiet", "--show"}) step.excludes(added_option(command, other));
  }
}

} // namespace tfx
