// tfx break LESSON [--with MISTAKE]: the lesson done wrong on purpose.

#include "cli/add_option.hpp"
#include "cli/break/report.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/options.hpp"
#include "lessons/run.hpp"
#include "text/names.hpp"

#include <algorithm>

namespace tfx {

namespace {

struct BreakOptions {
  std::string lesson;
  std::optional<std::string> with;
  bool all = false;
  InputOptions input;
  ShowOptions show;
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

Report run(const BreakOptions& options, Context& context) {
  const Lesson& lesson = lesson_for("break", options.lesson);
  if (options.show.save) require_page(*options.show.save);
  refuse_unfit(lesson, options.input);
  LessonRun right = run_lesson(lesson, options.input);
  context.notes = std::move(right.notes);
  const BrokenLesson broken{lesson, typed_again(input_options(), options.input),
                            std::make_shared<const Trace>(std::move(right.trace)), context.style().precision};
  if (!options.with)
    return break_list(broken, broken_runs(*broken.right, lesson),
                      options.all ? BreakList::all : BreakList::own);
  const auto one = std::make_shared<const BrokenRun>(chosen(*broken.right, *options.with, lesson.command));
  return break_report(
      broken, one,
      verdicts(lesson, resolve_input(options.input, lesson), computation_of(lesson, {one->mistake})));
}

} // namespace

Command break_command() {
  using O = BreakOptions;
  return report_row<O, run>("break", [](CLI::App& command, O& o, Context&) {
    const Option<O> all("--all", &O::all);
    add_argument(command, "LESSON", o.lesson, in_words("explain.lesson"));
    add_options<O>(command, {{"--with", &O::with, value::text("MISTAKE")}}, o);
    add_options(command, page_options(), o.show);
    add_options<O>(command, {all.without({"--with", "--json"})}, o);
    add_options(command, input_options(), o.input);
  });
}

} // namespace tfx
