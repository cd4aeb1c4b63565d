// tfx exercise: the list of what a learner writes, or one program with a hole to fill.

#include "cli/exercise/command.hpp"
#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/terminal_lines.hpp"
#include "exercise/own_exercise.hpp"
#include "exercise/skeleton.hpp"
#include "lessons/catalogue.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

namespace tfx {

namespace {

namespace fs = std::filesystem;

std::string in_progress(const std::string& exercise) {
  return "exercise-" + exercise;
}

struct ExerciseOptions {
  std::optional<std::string> name, to;
  std::optional<ProgramLanguage> language;
};

void list_exercises(Context& context) {
  note_broken_progress(context);
  const CourseProgress progress = read_progress().progress;
  const Style style = context.style();
  const std::string done = style.ascii ? "+" : "✓";
  const Exercise* next = nullptr;
  std::size_t count = 0;
  std::string rows;
  for (const Exercise& exercise : exercises()) {
    const bool is_done = is_written(progress, exercise.name);
    if (!is_done && !next) next = &exercise;
    count += is_done;
    std::string before =
        pad_right(is_done ? done : "", 2) + pad_left(number_of(*lesson_named(exercise.name)), 2) + "  ";
    for (const std::string& line : wrap(style.symbols(signature_of(exercise)), style.width - 8)) {
      rows += before + line + "\n";
      before = std::string(8, ' ');
    }
  }
  const std::string title = style.symbols(in_words("exercise.list"));
  const std::string state = in_words(
      "exercise.list.done", {{"count", std::to_string(count)}, {"all", std::to_string(exercises().size())}});
  const std::size_t used = display_width(title) + display_width(state);
  context.out = style.bold(title) + (used < style.width ? std::string(style.width - used, ' ') : "\n") +
                style.dim(state) + "\n" + rows;
  const std::string name = (next ? *next : exercises().back()).name;
  for (const std::string& line :
       wrap(style.symbols(in_words("exercise.list.begin", {{"name", name}, {"file", name + ".py"}})),
            style.width))
    context.out += line + "\n";
}

// All or nothing: what is there stays, but for the header, which is always the same.
std::vector<std::string> write_program(const std::vector<ProgramFile>& files, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  std::vector<std::string> written;
  for (const ProgramFile& file : files) {
    const std::string path = (folder / file.name).lexically_normal().string();
    const bool is_program = &file == &files.front();
    if (fs::exists(fs::symlink_status(path, error))) {
      if (!is_program) continue;
      const std::map<std::string, std::string> values = {{"file", escape_controls(path)}};
      throw error_in_words(ErrorKind::cannot_write, "exercise.exists", values);
    }
    write_file_atomically(path, file.text);
    written.push_back(path);
  }
  return written;
}

void run(const ExerciseOptions& options, Context& context) {
  if (!options.name) {
    for (const auto& [given, option] :
         {std::pair(options.to.has_value(), "--to"), {options.language.has_value(), "--in"}})
      if (given) throw usage_error("exercise_needed", {{"option", option}});
    return list_exercises(context);
  }
  const auto known = known_exercise(*options.name);
  const Exercise& exercise = *known;
  const auto files = skeleton(exercise, options.language.value_or(ProgramLanguage::numpy));
  const std::vector<std::string> written = write_program(files, options.to.value_or("."));
  const Trace none;
  const Words words = common_words();
  const Style style = context.style();
  Paper paper(none, words, style);
  paper.row(in_words("exercise.row.wrote"), escape_controls(listed(written)));
  paper.row(in_words("exercise.row.task"), signature_of(exercise));
  paper.row("", escape_controls(task_of(exercise)));
  const std::string file =
      (exercise.own ? shell_quoted(*options.name) + " " : "") + shell_quoted(written.front());
  paper.row(in_words("exercise.row.then"), in_words("exercise.then", {{"file", file}}));
  paper.row("", in_words("exercise.then.watch", {{"file", file}}));
  context.out = paper.take();
}

} // namespace

bool is_own_exercise(const std::string& name) {
  std::error_code error;
  return !exercise_named(name) && fs::is_directory(name, error);
}

std::shared_ptr<const Exercise> known_exercise(const std::string& name) {
  if (const Exercise* exercise = exercise_named(name)) return {std::shared_ptr<void>(), exercise};
  if (is_own_exercise(name)) return own_exercise(name);
  std::vector<std::string> names;
  for (const Exercise& exercise : exercises()) names.push_back(exercise.name);
  throw usage_error("no_exercise", {{"name", name}, {"near", suggestion(nearest(name, names))}});
}

bool is_written(const CourseProgress& progress, const std::string& exercise) {
  return progress.mark(in_progress(exercise)) == Mark::done;
}

bool forget_lesson(CourseProgress& progress, const std::string& lesson) {
  const bool written = progress.forget(in_progress(lesson));
  return progress.forget(lesson) || written;
}

void record_written(const std::string& exercise, Context& context) {
  if (shows_screen()) record_progress(in_progress(exercise), Mark::done, context);
}

Command exercise_command() {
  using O = ExerciseOptions;
  return command_row<O>("exercise", run, [](CLI::App& command, O& o, Context&) {
    add_argument(command, "NAME", o.name, in_words("exercise.argument"));
    const std::vector<std::pair<std::string, ProgramLanguage>> languages{
        {"numpy", ProgramLanguage::numpy}, {"torch", ProgramLanguage::torch}, {"c++", ProgramLanguage::cpp}};
    const Option<O> in("--in", &O::language, value::choice(languages), ProgramLanguage::numpy);
    add_options<O>(command, {in.described("exercise--in"), {"--to", &O::to, value::text("DIR")}}, o);
  });
}

} // namespace tfx
