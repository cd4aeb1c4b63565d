// tfx scores, tfx softmax, …: a lesson is found by its name or its number, run, saved and printed.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/induction/growth.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "lessons/run.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <memory>

namespace tfx {

std::string lesson_called(const std::string& name) {
  if (name.empty() || !std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) return name;
  const auto found = std::ranges::find(lessons(), name, number_of);
  if (found != lessons().end()) return found->command;
  int last = 0;
  for (const Lesson& lesson : lessons()) last = std::max(last, lesson.number.value_or(0));
  throw usage_error("no_lesson_number", {{"number", name}, {"last", std::to_string(last)}});
}

const Lesson& known_lesson(std::string_view name) {
  if (const Lesson* lesson = lesson_named(name)) return *lesson;
  std::vector<std::string> commands;
  for (const Lesson& lesson : lessons()) commands.push_back(lesson.command);
  throw usage_error("no_lesson",
                    {{"name", std::string(name)}, {"near", suggestion(nearest(name, commands))}});
}

const Lesson& lesson_for(std::string_view command, std::string_view name) {
  const Lesson& lesson = known_lesson(name);
  if (offers(lesson, command)) return lesson;
  const bool broken = offers(lesson, "break");
  throw usage_error(
      command == "quiz" ? "no_quiz" : "no_page",
      {{"command", std::string(command)},
       {"name", std::string(name)},
       {"mistakes", broken ? in_words("usage.no_page.mistakes", {{"name", std::string(name)}}) : ""}});
}

namespace {

struct LessonOptions {
  InputOptions input;
  OutputOptions output;
  GrowthOptions growth;
  std::optional<std::string> page;
  bool step = false, full = false;
};

// A page is a part of what these show.
void refuse_page(const LessonOptions& options) {
  const OutputOptions& output = options.output;
  for (const auto& [is_given, name] : {std::pair(options.full, "--full"),
                                       {options.step, "--step"},
                                       {options.growth.train, "--train"},
                                       {output.json, "--json"},
                                       {output.quiet, "--quiet"},
                                       {!output.show.empty(), "--show"}})
    if (options.page && is_given)
      throw usage_error("page_of_whole", {{"option", name}, {"page", *options.page}});
}

void run_command(const Lesson& lesson, const LessonOptions& options, Context& context) {
  refuse_page(options);
  if (options.growth.train) {
    if (options.output.save) require_page(*options.output.save);
    const Report report = grow_and_test(options.growth, options.input.heads, !options.output.no_time);
    return show_before_saving(report, {options.output.json, options.output.no_time, options.output.save},
                              context);
  }
  InputOptions input = options.input;
  if (options.step) input.usual_seed = seed_of(input), input.seed.reset(); // it chooses the questions too
  LessonRun run = run_lesson(lesson, input, options.output.no_time ? RunFor::proof : RunFor::times);
  context.notes = run.notes;
  Report report{screen_of(lesson, options.input, run.trace), std::move(run.trace)};
  Screen& screen = report.frame;
  screen.quiet = options.output.quiet;
  screen.with_time = !options.output.no_time;
  for (const std::string& name : options.output.show) screen.only.insert(part_named(report.trace, name));
  report.status = status_of(report.trace);
  const bool is_whole = options.output.json || options.full || screen.quiet || !screen.only.empty();
  report.run = is_whole ? RunView::whole : RunView::page;
  const bool is_document = options.output.save && options.output.save->ends_with(".html");
  if (is_document || (!options.output.json && !screen.quiet && screen.only.empty()))
    add_learned(screen, lesson, options.input, report.trace, context.style().ascii);
  Screen turned = screen; // a page that is not there is refused before anything is saved
  if (!is_whole && !options.step) turn_to(turned, lesson, options.page);
  if (options.output.save) save_report(report, *options.output.save, context);
  if (options.step) {
    context.status = report.status;
    return step_through(report.trace, screen, words_in(lesson.folder), seed_of(input), context);
  }
  if (!is_whole) {
    screen = std::move(turned);
    if (words_in(lesson.folder).find("glimpse")) add_glimpse(report.trace, context.style().ascii);
  }
  show(report, {options.output.json, options.output.no_time, {}}, context);
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
    if (!lesson.further.empty()) add_page_argument(command, lesson, o->page);
    add_options(command, input_options(), o->input, &rules);
    add_options(command, output_options(), o->output);
    add_options(command, picture_options(), context.global);
    const Option<O> full("--full", &O::full), step("--step", &O::step);
    add_options<O>(command,
                   {full.without({"--json", "--quiet", "--show"}),
                    step.without({"--json", "--quiet", "--show", "--full"})},
                   *o);
    add_options(command, growth_options(), o->growth, &rules);
  };
  const auto run = [&lesson, o](Context& context) { run_command(lesson, *o, context); };
  return {lesson.typed, title_in(lesson.folder), options, run};
}

} // namespace tfx
