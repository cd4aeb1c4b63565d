#include "cli/lesson/step.hpp"

#include "cli/course/progress_file.hpp"
#include "cli/quiz/question_dialogue.hpp"
#include "cli/terminal_lines.hpp"
#include "text/display_width.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <sstream>

namespace tfx {

namespace {

constexpr std::size_t rows_a_step = 20;

// To a learner who reads at their own pace: at most so many rows at once, cut at an empty one.
void say_in_steps(const std::string& text, const std::string& more) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  for (std::size_t begin = 0; begin < lines.size();) {
    std::size_t end = std::min(begin + rows_a_step, lines.size());
    if (end < lines.size())
      for (std::size_t cut = end; cut > begin + 1; --cut)
        if (lines[cut - 1].empty()) {
          end = cut;
          break;
        }
    for (; begin < end; ++begin) say(lines[begin] + "\n");
    if (begin < lines.size()) say(more), next_line();
  }
}

} // namespace

void step_through(const Trace& trace, const Screen& screen, const Words& words, std::uint64_t seed,
                  Context& context) {
  const Style style = context.style();
  const std::vector<Question> asked = step_questions(trace, seed, style.precision);
  std::set<std::string> pauses;
  for (const Question& question : asked) pauses.insert(question.tensor);
  ask_between(trace, render_parts(trace, screen, words, style, pauses), asked, Known::shown, words,
              screen.command, context);
}

void ask_between(const Trace& trace, const std::vector<std::string>& parts,
                 const std::vector<Question>& asked, Known known, const Words& words,
                 const std::string& lesson, Context& context) {
  const Style style = context.style();
  const Words course = course_words();
  const bool waits = is_dialogue();
  bool asks = true;
  std::size_t right = 0;
  const std::string more = style.dim(*course.find("step.more")) + " ";
  const auto write = [&](const std::string& text) {
    if (waits)
      say_in_steps(text, more);
    else
      context.out += text;
  };
  // What will happen, and why: before the lesson's own tensor, or the last one asked about.
  const auto own = std::ranges::find(asked, trace.main, &Question::tensor);
  const std::size_t predicted = own == asked.end() ? asked.size() - 1 : std::size_t(own - asked.begin());
  const Paper paper(trace, words, style);
  const auto predict = paper.word("predict"), because = paper.word("because");
  write(parts.front());
  if (waits)
    for (const std::string& line : wrap(style.symbols(*course.find("step.how")), style.width))
      say(style.dim(line) + "\n");
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asks && i == predicted && predict && because) {
      write("\n" + style.bold(labelled(trace, course, style, "predict", *predict)));
      if (waits) say(more), asks = next_line().has_value();
      if (asks) write(labelled(trace, course, style, "answer", *because));
    }
    const QuestionText text(trace, asked[i], context, course);
    if (asks) write((waits ? "\n" : "") + style.bold(labelled(trace, course, style, "question", text.ask())));
    if (asks && known == Known::below)
      for (const std::string& line : text.given()) write(line + "\n");
    if (asks && waits) {
      const Outcome outcome = answer_at_terminal(trace, asked[i], text, course, style, GivenUp::answer);
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
  record_progress(lesson, right == asked.size() ? Mark::done : Mark::seen, context);
}

} // namespace tfx
