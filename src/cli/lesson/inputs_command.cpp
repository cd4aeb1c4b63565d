// tfx inputs LESSON --save FILE: what is given in a lesson, and nothing that is computed: a homework's start.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "io/file.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "render/paper.hpp"
#include "text/utf8.hpp"

#include <filesystem>

namespace tfx {

namespace {

struct InputsOptions {
  std::string lesson;
  std::optional<std::string> save;
  InputOptions input;
};

std::vector<const Step*> given_in(const Trace& trace) {
  std::vector<const Step*> steps;
  for (const Step& step : trace.steps)
    if (step.role == Role::input || step.role == Role::parameter ||
        (step.role != Role::before && trace.is_of_model(step)))
      steps.push_back(&step);
  return steps;
}

void save_steps(const std::vector<const Step*>& steps, const std::string& path) {
  if (std::filesystem::path(path).extension() != ".npz") throw usage_error("inputs_kind", {{"file", path}});
  std::vector<NpzEntry> entries;
  for (const Step* step : steps) entries.push_back({step->name, &step->value});
  write_file_atomically(path, write_npz(entries));
}

void run_inputs(const InputsOptions& options, Context& context) {
  const Lesson& lesson = lesson_for("inputs", options.lesson);
  refuse_unfit(lesson, options.input);
  LessonRun run = run_lesson(lesson, options.input, RunFor::values);
  context.notes = std::move(run.notes);
  const std::vector<const Step*> given = given_in(run.trace);
  if (options.save) save_steps(given, *options.save);
  const Style style = context.style();
  const Words words = words_in(lesson.folder);
  Paper paper(run.trace, words, style);
  std::vector<std::string> names;
  for (const Step* step : given) names.push_back(step->name + " " + to_page_string(step->value.shape));
  paper.row(in_words("inputs.row.given"), listed(names));
  const std::string typed = typed_again(input_options(), options.input);
  if (options.save)
    paper.row(in_words("inputs.row.saved"), escape_controls(*options.save));
  else
    paper.row(in_words("inputs.row.save"), "tfx inputs " + lesson.command + typed + " --save given.npz");
  paper.row(in_words("inputs.row.hand_in"), "tfx check " + lesson.command + " mine.npz" + typed);
  context.out = paper.take();
}

} // namespace

Command inputs_command() {
  using O = InputsOptions;
  return command_row<O>("inputs", run_inputs, [](CLI::App& command, O& o, Context&) {
    add_argument(command, "LESSON", o.lesson, in_words("explain.lesson"));
    const Option<O> save("--save", &O::save, value::text("FILE"));
    add_options<O>(command, {save.described("inputs--save")}, o);
    add_options(command, input_options(), o.input);
  });
}

} // namespace tfx
