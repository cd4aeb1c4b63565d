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

class Guide {
public:
  explicit Guide(Context& context)
      : context_(context), style_(context.style()), words_(course_words()), file_(read_progress()) {
    note_broken_progress(context);
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

  std::string word(const std::string& key, const Values& values = {}) const {
    return fill_in(*words_.find(key), [&](const std::string& name) { return std::optional(values.at(name)); })
        .value();
  }

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

Command reset_command() {
  using O = std::optional<std::string>;
  const auto run = [](const O& lesson, Context& context) { Guide(context).reset(lesson); };
  return command_row<O>("reset", run, [](CLI::App& command, O& lesson, Context&) {
    add_argument(command, "LESSON", lesson, in_words("reset.lesson"));
  });
}

} // namespace tfx
