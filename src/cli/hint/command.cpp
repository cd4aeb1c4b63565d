// tfx hint: two of three hints for the first question of the lesson where the learner stands.

#include "cli/exercise/command.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/quiz/question_text.hpp"
#include "lessons/run.hpp"

namespace tfx {

namespace {

/// The first question of the lesson's quiz, or another one once that is answered.
struct Asked {
  std::shared_ptr<const Trace> trace; ///< a drawing of the question reads it
  Question question;
};

std::optional<Asked> asked_in(const Lesson& lesson, bool is_answered, int precision) {
  constexpr std::uint64_t first = 42, another = 43;
  if (!has_questions(lesson)) return std::nullopt;
  auto trace = std::make_shared<const Trace>(run_lesson(lesson, {}, RunFor::values).trace);
  const auto found = questions(*trace, is_answered ? another : first, 1, precision);
  if (found.empty()) return std::nullopt;
  return Asked{std::move(trace), found.front()};
}

/// The question, what it is answered from, and two hints.
void add_question(Report& report, const Asked& asked, const Style& style) {
  const QuestionText en(*asked.trace, asked.question, style, Language::en),
      zh(*asked.trace, asked.question, style, Language::zh);
  report.add(Row{"question", either(en.ask(), zh.ask())});
  report.add(Drawing{[asked](const Style& page, Language language) {
    return QuestionText(*asked.trace, asked.question, page, language).given();
  }});
  for (const int level : {1, 2}) report.add(Row{"hint", either(en.hint(level), zh.hint(level))});
}

void add_members(Report& report, const Lesson* lesson, const std::optional<Asked>& asked,
                 const Style& style) {
  report.add(Member{"lesson", lesson ? Cell(lesson->command) : None{}});
  Cell question = None{};
  Names hints;
  if (asked) {
    const QuestionText text(*asked->trace, asked->question, style);
    question = text.ask(), hints = {text.hint(1), text.hint(2)};
  }
  report.add(Member{"question", std::move(question)});
  report.add(Member{"hints", std::move(hints)});
}

Report run(Context& context) {
  note_broken_progress(context);
  const CourseProgress progress = read_progress().progress;
  const Style style = context.style();
  Report report{frame_of_command("hint"), {}};
  report.title = Title::none;
  report.frame.quoted = {"src/course"};
  const Lesson* lesson = last_lesson(progress);
  const bool is_answered = lesson && progress.mark(lesson->command) == Mark::done;
  const auto asked = lesson ? asked_in(*lesson, is_answered, style.precision) : std::nullopt;
  add_members(report, lesson, asked, style);
  if (!lesson) {
    report.say("start");
    return report;
  }
  const auto say = [&](const char* key) {
    report.say(
        Sentence{key,
                 {{"lesson", lesson->command}, {"command", "tfx " + lesson->typed}, {"typed", lesson->typed}},
                 {{"title", title_of(*lesson)}}});
  };
  say(has_questions(*lesson) ? "here" : "no_questions");
  if (!asked) return report;
  say(is_answered ? "answered" : "open");
  add_question(report, *asked, style);
  say("more");
  if (exercise_named(lesson->command) && !is_written(progress, lesson->command)) say("exercise.offer");
  return report;
}

} // namespace

Command hint_command() {
  return page_row<run>("hint");
}

} // namespace tfx
