// tfx, tfx list: the map of the course.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/exercise/done.hpp"
#include "course/tutorial_path.hpp"
#include "lessons/catalogue.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

// "✓  3* tfx scores    every query meets every key", the title wrapped beside its column.
std::string entry(const std::string& mark, bool written, const Lesson& lesson, const Style& style) {
  constexpr std::size_t numbers = 6, commands = 14;
  std::string text, before = pad_right(mark, 2) + pad_left(std::to_string(lesson.number), 2) +
                             (written ? "* " : "  ") +
                             style.bold(pad_right("tfx " + lesson.command, commands));
  for (const std::string& line :
       wrap(style.symbols(title_in(lesson.folder)), style.width - numbers - commands)) {
    text += before + line + "\n";
    before = std::string(numbers + commands, ' ');
  }
  return text;
}

} // namespace

// Every lesson, and what to do next, within the 24 rows of a terminal, a prompt below them.
std::string course_map(const Context& context) {
  const ProgressFile file = read_progress();
  const Words course = course_words();
  const auto word = [&](const std::string& key, const std::map<std::string, std::string>& values = {}) {
    return *fill_in(*course.find(key),
                    [&](const std::string& name) { return std::optional(values.at(name)); });
  };
  const Style style = context.style();
  const Words words = common_words();
  std::string out;
  const auto paragraph = [&](const std::string& text) {
    for (const std::string& line : wrap(style.symbols(text), style.width)) out += line + "\n";
  };
  const TutorialPath* path = path_on(file.progress);
  const bool begun = path || last_lesson(file.progress);
  const Lesson* next = begun && !path ? next_lesson(file.progress) : nullptr;
  // One column each, so that they stand apart from the numbers: symbols() would write "ok".
  const std::string done = style.ascii ? "+" : "✓", seen = style.ascii ? "." : "·",
                    here = style.ascii ? ">" : "→";
  const bool writes = std::ranges::any_of(
      exercises(), [&](const Exercise& exercise) { return is_written(file.progress, exercise.name); });
  const char* key = writes ? "progress.legend.written" : "progress.legend";
  const std::string title = style.symbols(*words.find("ui.map")),
                    beside = begun ? word(key, {{"done", done}, {"seen", seen}, {"next", here}})
                                   : style.symbols(word("map.others"));
  if (const std::size_t used = display_width(title) + display_width(beside); used < style.width) {
    out += style.bold(title) + std::string(style.width - used, ' ') + style.dim(beside) + "\n";
  } else {
    for (const std::string& line : wrap(title, style.width)) out += style.bold(line) + "\n";
    paragraph(beside);
  }
  for (const Lesson& lesson : lessons()) {
    const std::string mark = &lesson == next                                    ? here
                             : is_complete(file.progress, lesson)               ? done
                             : file.progress.mark(lesson.command) != Mark::none ? seen
                                                                                : "";
    out += entry(mark, is_written(file.progress, lesson.command), lesson, style);
  }
  if (!begun)
    paragraph(*words.find("ui.map.hint"));
  else if (path)
    paragraph(word("progress.next", {{"command", "tfx next (" + path->id + " " +
                                                     std::to_string(*next_block(file.progress, *path) + 1) +
                                                     "/" + std::to_string(path->blocks.size()) + ")"}}));
  else if (next)
    paragraph(word("progress.next", {{"command", "tfx next (tfx " + next->typed + ")"}}));
  else
    paragraph(word("progress.all_done"));
  return out;
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
       {"number", std::to_string(lesson.number)},
       {"mistakes", broken ? in_words("usage.no_page.mistakes", {{"name", std::string(name)}}) : ""}});
}

Command list_command() {
  return command_row<Anything>("list", [](const Anything&, Context& context) {
    note_broken_progress(context);
    context.out = course_map(context);
  });
}

} // namespace tfx
