#include "cli/course/learn_commands.hpp"

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/exercise/command.hpp"
#include "cli/quiz/question_dialogue.hpp"
#include "cli/terminal_lines.hpp"
#include "course/model_map.hpp"
#include "course/tutorial_path.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/run.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

// "✓  3* tfx scores    every query meets every key", the title wrapped beside its column.
std::string entry(const std::string& mark, bool written, const Lesson& lesson, const Style& style) {
  constexpr std::size_t numbers = 6, commands = 14;
  std::string text, before = pad_right(mark, 2) + pad_left(number_of(lesson), 2) + (written ? "* " : "  ") +
                             style.bold(pad_right("tfx " + lesson.command, commands));
  const std::string lead = lesson.number ? ""
                                         : in_course({}, common_words()) + in_words("label.colon") +
                                               (language() == Language::en ? " " : "");
  for (const std::string& line :
       wrap(style.symbols(lead + title_in(lesson.folder)), style.width - numbers - commands)) {
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
  const Lesson* next = begun && !path ? next_page(file.progress).lesson : nullptr;
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
  std::vector<std::string> since, appendices; // on a row each: the screen has no more
  const auto is_since_2017 = [](const Lesson& lesson) { return group_of(lesson) == &part_group("since"); };
  const auto row = [&](const std::vector<std::string>& named, const char* words_of_row) {
    for (const std::string& line : wrap("    " + join(named, "  ") + "  " + word(words_of_row), style.width))
      out += line + "\n";
  };
  for (const Lesson& lesson : lessons()) {
    const std::string mark = &lesson == next                                    ? here
                             : is_complete(file.progress, lesson)               ? done
                             : file.progress.mark(lesson.command) != Mark::none ? seen
                                                                                : "";
    if (lesson.number && is_since_2017(lesson))
      since.push_back((mark.empty() ? "" : mark + " ") + number_of(lesson) +
                      (is_written(file.progress, lesson.command) ? "* " : " ") + style.bold(lesson.command));
    else if (lesson.number)
      out += entry(mark, is_written(file.progress, lesson.command), lesson, style);
    else
      appendices.push_back((mark.empty() ? "" : mark + " ") + style.bold("tfx " + lesson.command));
  }
  row(since, "map.since"), row(appendices, "map.appendices");
  if (!begun)
    paragraph(*words.find("ui.map.hint"));
  else if (path)
    paragraph(word("progress.next", {{"command", "tfx next (" + path->id + " " +
                                                     std::to_string(*next_block(file.progress, *path) + 1) +
                                                     "/" + std::to_string(path->blocks.size()) + ")"}}));
  else if (next)
    paragraph(word("progress.next", {{"command", "tfx next (tfx " + next->typed + ")"}}));
  else
    paragraph(word(std::ranges::all_of(
                       lessons(), [&](const Lesson& lesson) { return is_complete(file.progress, lesson); })
                       ? "progress.all_done"
                       : "progress.all_seen"));
  return out;
}

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

Command list_command() {
  return command_row<Anything>("list", [](const Anything&, Context& context) {
    note_broken_progress(context);
    context.out = course_map(context);
  });
}

namespace {

class Guide {
public:
  explicit Guide(Context& context)
      : context_(context), style_(context.style()), words_(course_words()), file_(read_progress()) {
    note_broken_progress(context);
  }

  // Two of three hints for the first question of the lesson's quiz.
  void hint() {
    const Lesson* lesson = last_lesson(file_.progress);
    if (!lesson) return paragraph(word("hint.start"));
    const std::map<std::string, std::string> names = {{"lesson", lesson->command},
                                                      {"command", "tfx " + lesson->typed},
                                                      {"typed", lesson->typed},
                                                      {"title", title(*lesson)}};
    if (!has_questions(*lesson)) return paragraph(word("hint.no_questions", names));
    const LessonRun run = run_lesson(*lesson, {}, RunFor::values);
    const bool answered = file_.progress.mark(lesson->command) == Mark::done;
    constexpr std::uint64_t first = 42, another = 43;
    const auto asked = questions(run.trace, answered ? another : first, 1, style_.precision);
    paragraph(word("hint.here", names));
    if (asked.empty()) return;
    paragraph(word(answered ? "hint.answered" : "hint.open", names));
    const QuestionText text(run.trace, asked.front(), context_, words_);
    context_.out += "\n" + labelled(run.trace, words_, style_, "question", text.ask());
    for (const std::string& line : text.given()) context_.out += line + "\n";
    context_.out += "\n";
    for (const int level : {1, 2})
      context_.out += labelled(run.trace, words_, style_, "hint", text.hint(level));
    context_.out += "\n";
    paragraph(word("hint.more", names));
    offer_exercise(lesson);
  }

  void reset(const std::optional<std::string>& lesson) {
    const TutorialPath* path = lesson ? tutorial_path(*lesson) : nullptr;
    if (lesson && !path) require_known(*lesson);
    const auto lock = lock_progress();
    file_ = read_progress();
    const bool any = path     ? forget(file_.progress, *path)
                     : lesson ? forget_lesson(file_.progress, *lesson)
                              : !file_.progress.entries().empty();
    if (!any && !file_.broken)
      return paragraph(lesson ? word("progress.nothing_of", {{"lesson", *lesson}})
                              : word("progress.nothing_to_forget"));
    if (!lesson) file_.progress = {};
    context_.notes.clear(); // write_progress says where it is kept
    write_progress(file_, context_, Previous::kept);
    if (file_.broken) return;
    const std::string before = file_.path + ".prev";
    paragraph(lesson ? word("progress.forgotten_of", {{"lesson", *lesson}, {"file", before}})
                     : word("progress.forgotten", {{"file", before}}));
  }

private:
  using Values = std::map<std::string, std::string>;

  // What the lesson is about as a program of one's own, until it was written.
  void offer_exercise(const Lesson* lesson) {
    if (!lesson || !exercise_named(lesson->command) || is_written(file_.progress, lesson->command)) return;
    paragraph(word("exercise.offer", {{"lesson", lesson->command}}));
  }

  std::string word(const std::string& key, const Values& values = {}) const {
    return fill_in(*words_.find(key), [&](const std::string& name) { return std::optional(values.at(name)); })
        .value();
  }

  std::string title(const Lesson& lesson) const { return title_in(lesson.folder); }

  void paragraph(const std::string& text) {
    for (const std::string& line : wrap(style_.symbols(text), style_.width)) context_.out += line + "\n";
  }

  void require_known(const std::string& name) const {
    if (file_.progress.mark(name) == Mark::none) known_lesson(name); // says what there is
  }

  Context& context_;
  const Style style_;
  const Words words_;
  ProgressFile file_;
};

} // namespace

Command hint_command() {
  return command_row<Anything>("hint", [](const Anything&, Context& context) { Guide(context).hint(); });
}

Command reset_command() {
  using O = std::optional<std::string>;
  const auto run = [](const O& lesson, Context& context) { Guide(context).reset(lesson); };
  return command_row<O>("reset", run, [](CLI::App& command, O& lesson, Context&) {
    add_argument(command, "LESSON", lesson, in_words("reset.lesson"));
  });
}

} // namespace tfx
