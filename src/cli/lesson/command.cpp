// tfx scores, tfx softmax, …: run a lesson, save it, print it.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/lesson/step.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "lessons/run.hpp"
#include "render/json.hpp"
#include "render/terminal.hpp"
#include "words/in_words.hpp"

#include <memory>

namespace tfx {

namespace {

struct LessonOptions {
  InputOptions input;
  OutputOptions output;
  bool step = false, full = false;
};

void run_command(const Lesson& lesson, const LessonOptions& options, Context& context) {
  InputOptions input = options.input;
  if (options.step) input.usual_seed = seed_of(input), input.seed.reset(); // it chooses the questions too
  LessonRun run = run_lesson(lesson, input, options.output.no_time ? RunFor::proof : RunFor::times);
  context.notes = run.notes;
  context.status = status_of(run.trace);
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
      step_through(run.trace, screen, words, seed_of(input), context);
    else if (!options.full && !screen.quiet && only.empty()) {
      if (words.find("glimpse")) add_glimpse(run.trace, context.style().ascii);
      context.out = render_page(run.trace, screen, words, context.style());
    } else
      context.out = render_screen(run.trace, screen, words, context.style());
  }
}

} // namespace

void show_lesson(const Lesson& lesson, const InputOptions& input, bool json, Context& context) {
  LessonOptions options;
  options.input = input, options.output.json = json, options.output.no_time = true;
  run_command(lesson, options, context);
}

Command lesson_command(const Lesson& lesson) {
  using O = LessonOptions;
  const auto o = std::make_shared<O>();
  const auto options = [&lesson, o](CLI::App& command, Context& context) {
    const InputRules& rules = lesson;
    add_options(command, input_options(), o->input, &rules);
    add_options(command, output_options(), o->output);
    add_options(command, picture_options(), context.global);
    const Option<O> full("--full", &O::full), step("--step", &O::step);
    add_options<O>(command,
                   {full.without({"--json", "--quiet", "--show"}),
                    step.without({"--json", "--quiet", "--show", "--full"})},
                   *o);
  };
  const auto run = [&lesson, o](Context& context) { run_command(lesson, *o, context); };
  return {lesson.typed, title_in(lesson.folder), options, run};
}

} // namespace tfx
