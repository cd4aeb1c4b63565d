// tfx hint: two of three hints for the first question of the lesson where the learner stands.

#include "cli/exercise/command.hpp"
#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress_file.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/quiz/question_text.hpp"
#include "lessons/run.hpp"

namespace tfx {

namespace {

struct HintOptions {
  ShowOptions show;
};

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

Report run(const HintOptions&, Context& context) {
  note_broken_progress(context);
  const CourseProgress progress = read_progress().progress;
  Report report{frame_of_command("hint"), {}};
  report.title = Title::none;
  report.frame.quoted = {"src/course"};
  const Lesson* lesson = last_lesson(progress);
  report.add(Member{"lesson", lesson ? Cell(lesson->command) : None{}});
  if (!lesson) {
    report.say("start");
    return report;
  }
  const Values names{
      {"lesson", lesson->command}, {"command", "tfx " + lesson->typed}, {"typed", lesson->typed}};
  const auto sentence = [&](const char* key) {
    return Sentence{
        key,
        names,
        {{"title", either(title_in(lesson->folder, Language::en), title_in(lesson->folder, Language::zh))}}};
  };
  if (!has_questions(*lesson)) {
    report.parts.emplace_back(sentence("no_questions"));
    return report;
  }
  const auto trace = std::make_shared<const Trace>(run_lesson(*lesson, {}, RunFor::values).trace);
  const Style style = context.style();
  const bool answered = progress.mark(lesson->command) == Mark::done;
  constexpr std::uint64_t first = 42, another = 43;
  const auto asked = questions(*trace, answered ? another : first, 1, style.precision);
  report.parts.emplace_back(sentence("here"));
  if (asked.empty()) return report;
  report.parts.emplace_back(sentence(answered ? "answered" : "open"));
  add_question(report, trace, asked.front(), style);
  report.parts.emplace_back(sentence("more"));
  if (exercise_named(lesson->command) && !is_written(progress, lesson->command))
    report.parts.emplace_back(sentence("exercise.offer"));
  return report;
}

} // namespace

Command hint_command() {
  using O = HintOptions;
  return report_row<O, run>(
      "hint", [](CLI::App& command, O& o, Context&) { add_options(command, page_options(), o.show); });
}

} // namespace tfx
