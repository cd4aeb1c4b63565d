// tfx next, tfx hint, tfx reset: where the learner stands, and how to go on.

#include "cli/course/learn_commands.hpp"
#include "cli/add_option.hpp"
#include "cli/commands.hpp"

#include "cli/course/progress_file.hpp"
#include "cli/exercise/done.hpp"
#include "cli/quiz/question_dialogue.hpp"
#include "cli/terminal_lines.hpp"
#include "lessons/run.hpp"
#include "text/display_width.hpp"
#include "words/in_words.hpp"

#include <algorithm>

namespace tfx {

namespace {

class Guide {
public:
  explicit Guide(Context& context)
      : context_(context), style_(context.style()), words_(course_words()), file_(read_progress()) {
    note_broken_progress(context);
  }

  // On the path of a tutorial its next block; else a lesson's screen, as its command shows it. One that
  // computes for a while the learner starts.
  void next() {
    if (const TutorialPath* path = path_on(file_.progress)) {
      run_block(*path, *next_block(file_.progress, *path), context_);
      return paragraph(word("tutorial.leave", {{"id", path->id}}));
    }
    const Lesson* lesson = next_lesson(file_.progress);
    if (!lesson) return paragraph(word("progress.all_done"));
    const Lesson* before = last_lesson(file_.progress);
    if (!lesson->takes_long) {
      run_typed(lesson->typed, context_);
      if (shows_screen()) record_progress(lesson->command, Mark::seen, context_);
      return offer_exercise(before);
    }
    paragraph(word("next.no_questions", {{"command", "tfx " + lesson->typed}, {"title", title(*lesson)}}));
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

Command next_command() {
  return command_row<Anything>("next", [](const Anything&, Context& context) { Guide(context).next(); });
}

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
