#include "cli/report/sections.hpp"

#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "core/progress.hpp"
#include "lessons/run.hpp"
#include "render/html/section.hpp"
#include "words/in_words.hpp"

#include <exception>

namespace tfx {

namespace {

/// Whether another lesson may take the same input.
bool concerns_the_lesson(const Error& error) {
  return error.kind() == ErrorKind::usage || error.kind() == ErrorKind::bad_data;
}

Html remark(const Bilingual& words, const Message& reason) {
  return element("div", {{"class", "remark"}},
                 element("p", words.ui("report.does_not_fit")) +
                     element("p", in_both({reason.in_english(), in_chinese(reason)})));
}

} // namespace

std::map<std::string, Html> lesson_sections(const ReportOptions& options, Context& context) {
  std::map<std::string, Html> sections;
  std::exception_ptr first_refusal;
  std::size_t ran = 0;
  const RunFor purpose = options.no_time ? RunFor::proof : RunFor::times;
  for (const Lesson& lesson : page_lessons()) {
    tell_progress(lesson.command, {sections.size() + 1, page_lessons().size()});
    InputOptions input = options.input;
    Message reason;
    LessonRun run;
    try {
      // Without the options that other lessons read, unless nothing is left of the learner's input.
      const InputOptions fit = fitting<InputOptions, InputRules>(input_options(), input, lesson);
      if (!typed_again(input_options(), fit).empty()) input = fit;
      run = run_lesson(lesson, input, purpose);
      ++ran;
    } catch (const Error& error) {
      if (!concerns_the_lesson(error)) throw;
      if (!first_refusal) first_refusal = std::current_exception();
      reason = error.message();
      input = {};
      run = run_lesson(lesson, input, purpose);
    }
    Screen screen = screen_of(lesson, input, run.trace);
    screen.with_time = !options.no_time;
    const BothWords words = both_words(lesson.folder);
    const Html why = reason.empty() ? Html() : remark(Bilingual(run.trace, words, context.style()), reason);
    sections.emplace(lesson.command, lesson_section(run.trace, screen, words, context.style(), why));
    context.status |= status_of(run.trace);
  }
  if (ran == 0) std::rethrow_exception(first_refusal);
  return sections;
}

} // namespace tfx
