#include "cli/lesson/step.hpp"

#include "cli/course/progress_file.hpp"
#include "cli/quiz/question_dialogue.hpp"
#include "cli/terminal_lines.hpp"
#include "text/display_width.hpp"
#include "words/in_words.hpp"

namespace tfx {

void step_through(const Trace& trace, const Screen& screen, const Words& words, std::uint64_t seed,
                  Context& context) {
  const Style style = context.style();
  const Words course = course_words();
  const std::vector<Question> asked = step_questions(trace, seed, style.precision);
  std::set<std::string> pauses;
  for (const Question& question : asked) pauses.insert(question.tensor);
  const std::vector<std::string> parts = render_parts(trace, screen, words, style, pauses);

  const bool waits = is_dialogue();
  bool asks = true;
  std::size_t right = 0;
  const auto write = [&](const std::string& text) {
    if (waits)
      say(text);
    else
      context.out += text;
  };
  write(parts.front());
  if (waits)
    for (const std::string& line : wrap(style.symbols(*course.find("step.how")), style.width))
      say(style.dim(line) + "\n");
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const QuestionText text(trace, asked[i], context, course);
    if (asks) write((waits ? "\n" : "") + style.bold(labelled(trace, course, style, "question", text.ask())));
    if (asks && waits) {
      const Outcome outcome = answer_at_terminal(trace, asked[i], text, course, style);
      right += outcome == Outcome::right;
      asks = outcome != Outcome::ended;
    } else if (asks) {
      write(labelled(trace, course, style, "answer", text.answer()));
    }
    write((asks ? "\n" : "") + parts[i + 1]);
  }
  if (!waits) return;
  const auto score = fill_in(*course.find("step.score"), [&](const std::string& name) {
    return std::optional(std::to_string(name == "right" ? right : asked.size()));
  });
  say("\n" + style.bold(*score) + "\n");
  record_progress(screen.command, right == asked.size() ? Mark::done : Mark::seen, context);
}

} // namespace tfx
