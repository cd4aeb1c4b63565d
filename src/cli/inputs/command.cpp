// tfx inputs LESSON --save FILE: what is given in a lesson, and nothing that is computed, as a homework's
// start.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "lessons/run.hpp"
#include "ops/operation.hpp"

namespace tfx {

namespace {

struct InputsOptions {
  std::string lesson;
  ShowOptions show;
  InputOptions input;
};

/// The run without what it computes: what a trained model computed before the lesson begins is given too.
Trace given_in(const Trace& run) {
  Trace given;
  given.lesson = run.lesson, given.tutorial = run.tutorial, given.dtype = run.dtype;
  for (const Step& step : run.steps) {
    const bool is_of_model = step.role != Role::before && run.is_of_model(step);
    if (step.role == Role::input || step.role == Role::parameter || is_of_model)
      given.add_input(step.name, step.formula, step.value, step.labels,
                      step.role == Role::parameter ? Role::parameter : Role::input);
  }
  return given;
}

Report run(const InputsOptions& options, Context& context) {
  const Lesson& lesson = lesson_for("inputs", options.lesson);
  refuse_unfit(lesson, options.input);
  if (const auto& file = options.show.save) // a .csv has room for one array
    if (!file->ends_with(".npz") && !file->ends_with(".json") && !file->ends_with(".html"))
      throw usage_error("inputs_kind", {{"file", *file}});
  LessonRun run = run_lesson(lesson, options.input, RunFor::values);
  context.notes = std::move(run.notes);
  Report report{frame_of_command("inputs"), given_in(run.trace)};
  const std::string typed = typed_again(input_options(), options.input);
  report.title = Title::none;
  report.frame.options = " " + lesson.command + typed;
  report.has_tensors = true;
  name_lesson(report.frame, report.trace, lesson);
  report.add(Member{"lesson", lesson.command});
  Names names;
  for (const Step& step : report.trace.steps)
    names.push_back(step.name + " " + to_page_string(step.value.shape));
  report.add(Row{"given", listed_in_both(names)});
  if (options.show.save)
    report.add(Row{"saved", *options.show.save});
  else
    report.add(Row{"save", "tfx inputs " + lesson.command + typed + " --save given.npz"});
  report.add(Row{"hand_in", "tfx check " + lesson.command + " mine.npz" + typed});
  return report;
}

} // namespace

Command inputs_command() {
  using O = InputsOptions;
  return report_row<O, run>("inputs", [](CLI::App& command, O& o, Context&) {
    add_argument(command, "LESSON", o.lesson, in_words("explain.lesson"));
    const Option<ShowOptions> save("--save", &ShowOptions::save, value::text("FILE"));
    add_options<ShowOptions>(command, {{"--json", &ShowOptions::json}, save.described("inputs--save")},
                             o.show);
    add_options(command, input_options(), o.input);
  });
}

} // namespace tfx
