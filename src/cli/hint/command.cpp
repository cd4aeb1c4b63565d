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

/// The question, what it is answered from, and two hints.
void add_question(Report& report, std::shared_ptr<const Trace> trace, const Question& question,
                  const Style& style) {
  const QuestionText en(*trace, question, style, Language::en), zh(*trace, question, style, Language::zh);
  report.add(Row{"question", either(en.ask(), zh.ask())});
  report.add(Drawing{[trace, question](const Style& page, Language language) {
    return QuestionText(*trace, question, page, language).given();
  }});
  for (const int level : {1, 2}) report.add(Row{"hint", either(en.hint(level), zh.hint(level))});
}

void add_members(Report& report, const Lesson* lesson, const QuestionText* text) {
  report.add(Member{"lesson", lesson ? Cell(lesson->command) : None{}});
  report.add(Member{"question", text ? Cell(text->ask()) : None{}});
  report.add(Member{"hints", text ? Names{text->hint(1), text->hint(2)} : Names{}});
}

Report run(Context& context) {
  note_broken_progress(context);
  const CourseProgress progress = read_progress().progress;
  Report report{frame_of_command("hint"), {}};
  report.title = Title::none;
  report.frame.quoted = {"src/course"};
  const Lesson* lesson = last_lesson(progress);
  if (!lesson) {
    add_members(report, nullptr, nullptr);
    report.say("start");
    return report;
  }
  const auto say = [&](const char* key) {
    report.say(
        Sentence{key,
                 {{"lesson", lesson->command}, {"command", "tfx " + lesson->typed}, {"typed", lesson->typed}},
                 {{"title", title_of(*lesson)}}});
  };
  if (!has_questions(*lesson)) {
    add_members(report, lesson, nullptr);
    say("no_questions");
    return report;
  }
  const auto trace = std::make_shared<const Trace>(run_lesson(*lesson, {}, RunFor::values).trace);
  const Style style = context.style();
  const bool answered = progress.mark(lesson->command) == Mark::done;
  constexpr std::uint64_t first = 42, another = 43;
  const auto asked = questions(*trace, answered ? another : first, 1, style.precision);
  say("here");
  if (asked.empty()) {
    add_members(report, lesson, nullptr);
    return report;
  }
  const QuestionText text(*trace, asked.front(), style);
  add_members(report, lesson, &text);
  say(answered ? "answered" : "open");
  add_question(report, trace, asked.front(), style);
  say("more");
  if (exercise_named(lesson->command) && !is_written(progress, lesson->command)) say("exercise.offer");
  return report;
}

} // namespace

Command hint_command() {
  return page_row<run>("hint");
}

} // namespace tfx
