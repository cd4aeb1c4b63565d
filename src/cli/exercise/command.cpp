// tfx exercise: the list of what a learner writes, or one program with a hole to fill.

#include "cli/exercise/command.hpp"
#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/terminal_lines.hpp"
#include "exercise/own_exercise.hpp"
#include "exercise/skeleton.hpp"
#include "lessons/catalogue.hpp"
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
  ShowOptions show;
};

const std::vector<Option<ExerciseOptions>>& exercise_options() {
  using O = ExerciseOptions;
  const std::vector<std::pair<std::string, ProgramLanguage>> languages{
      {"numpy", ProgramLanguage::numpy}, {"torch", ProgramLanguage::torch}, {"c++", ProgramLanguage::cpp}};
  static const Option<O> in("--in", &O::language, value::choice(languages), ProgramLanguage::numpy);
  static const std::vector<Option<O>> table{in.described("exercise--in"),
                                            {"--to", &O::to, value::text("DIR")}};
  return table;
}

Report list_of_exercises(Context& context) {
  note_broken_progress(context);
  const CourseProgress progress = read_progress().progress;
  const std::string done = context.style().mark("✓");
  Report report{frame_of_command("exercise"), {}};
  report.title = Title::none;
  ReportTable table{"exercises", {"number", "name", "signature", "written"}, {}};
  const Exercise* next = nullptr;
  std::vector<Item> items;
  for (const Exercise& exercise : exercises()) {
    const bool is_done = is_written(progress, exercise.name);
    if (!is_done && !next) next = &exercise;
    const Lesson& lesson = *lesson_named(exercise.name);
    items.push_back({is_done ? done : " ", pad_left(number_of(lesson), 2) + " ", "", signature_of(exercise)});
    table.rows.push_back(
        {Count{static_cast<std::size_t>(*lesson.number)}, exercise.name, signature_of(exercise), is_done});
  }
  const auto count = static_cast<std::size_t>(std::ranges::count(items, done, &Item::mark));
  report.add(
      Heading{Sentence{"list"},
              Sentence{"done", {{"count", std::to_string(count)}, {"all", std::to_string(items.size())}}}});
  for (Item& item : items) report.add(std::move(item));
  report.add(std::move(table));
  const std::string name = (next ? *next : exercises().back()).name;
  report.onward = {{"begin", {{"name", name}, {"file", name + ".py"}}}};
  return report;
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

Report run(const ExerciseOptions& options, Context& context) {
  if (!options.name) {
    for (const auto& [given, option] :
         {std::pair(options.to.has_value(), "--to"), {options.language.has_value(), "--in"}})
      if (given) throw usage_error("exercise_needed", {{"option", option}});
    return list_of_exercises(context);
  }
  const auto known = known_exercise(*options.name);
  const Exercise& exercise = *known;
  if (options.show.save) require_page(*options.show.save);
  const auto files = skeleton(exercise, options.language.value_or(ProgramLanguage::numpy));
  const Names written = write_program(files, options.to.value_or("."));
  const std::string file =
      (exercise.own ? shell_quoted(*options.name) + " " : "") + shell_quoted(written.front());
  const Sentence task = either(task_of(exercise, Language::en), task_of(exercise, Language::zh));
  Report report{frame_of_command("exercise"), {}};
  report.title = Title::none;
  report.frame.options = " " + shell_quoted(*options.name) + typed_again(exercise_options(), options);
  report.add(Row{"wrote", listed_in_both(written)});
  report.add(Row{"task", signature_of(exercise)});
  report.add(Row{"", task});
  report.add(Row{"then", Sentence{"fill", {{"file", file}}}});
  report.add(Row{"", Sentence{"watch", {{"file", file}}}});
  report.add(Member{"name", exercise.name});
  report.add(Member{"signature", signature_of(exercise)});
  report.add(Member{"task", task});
  report.add(Member{"files", written});
  return report;
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
  return report_row<O, run>("exercise", [](CLI::App& command, O& o, Context&) {
    add_argument(command, "NAME", o.name, in_words("exercise.argument"));
    add_options(command, exercise_options(), o);
    add_options(command, page_options(), o.show);
  });
}

} // namespace tfx
