// tfx break LESSON [--with MISTAKE]: the lesson done wrong on purpose.

#include "cli/add_option.hpp"
#include "cli/break/screen.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "lessons/run.hpp"
#include "text/names.hpp"

#include <algorithm>

namespace tfx {

namespace {

struct BreakOptions {
  std::string lesson;
  std::optional<std::string> with;
  bool all = false, json = false;
  InputOptions input;
};

// The run with the mistake of that id, if it can be made in it.
BrokenRun chosen(const Trace& right, const std::string& id, const std::string& lesson) {
  if (const Mistake* const mistake = find_mistake(id)) {
    BrokenRun broken = broken_run(right, *mistake);
    if (!is_broken(broken)) throw usage_error("mistake_not_here", {{"name", id}, {"lesson", lesson}});
    return broken;
  }
  std::vector<std::string> known;
  for (const Mistake& mistake : mistakes()) known.push_back(mistake.id);
  std::optional<std::string> near = nearest(id, known);
  // "no_scale" for "softmax.no_scale".
  for (const std::string& one : known)
    if (!near && one.ends_with("." + id)) near = one;
  throw usage_error("no_mistake", {{"name", id}, {"lesson", lesson}, {"near", suggestion(near)}});
}

void run_break(const BreakOptions& options, Context& context) {
  const Lesson& lesson = lesson_for("break", options.lesson);
  refuse_unfit(lesson, options.input);
  LessonRun run = run_lesson(lesson, options.input);
  context.notes = std::move(run.notes);
  const BrokenLesson broken{lesson, typed_again(input_options(), options.input), run.trace};
  if (!options.with) {
    const std::vector<BrokenRun> all = broken_runs(run.trace, lesson);
    context.out =
        options.json ? break_list_json(broken, all, context)
                     : break_list_screen(broken, all, options.all ? BreakList::all : BreakList::own, context);
    return;
  }
  const BrokenRun one = chosen(run.trace, *options.with, lesson.command);
  const std::vector<PropertyVerdict> judged =
      verdicts(lesson, resolve_input(options.input, lesson), computation_of(lesson, {one.mistake}));
  context.out =
      options.json ? break_json(broken, one, judged, context) : break_screen(broken, one, judged, context);
}

} // namespace

Command break_command() {
  using O = BreakOptions;
  return command_row<O>("break", run_break, [](CLI::App& command, O& o, Context&) {
    const Option<O> all("--all", &O::all);
    add_argument(command, "LESSON", o.lesson, in_words("explain.lesson"));
    add_options<O>(command,
                   {{"--with", &O::with, value::text("MISTAKE")},
                    all.without({"--with", "--json"}),
                    {"--json", &O::json}},
                   o);
    add_options(command, input_options(), o.input);
  });
}

} // namespace tfx
