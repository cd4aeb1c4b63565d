#include "cli/quiz/question_dialogue.hpp"

#include "cli/terminal_lines.hpp"
#include "course/answer_parser.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"

namespace tfx {

namespace {

bool asks_for_hint(const std::string& typed) {
  const std::string text = plain_text(typed);
  return text == "?" || text == "hint" || text == "提示";
}

} // namespace

std::string labelled(const Trace& trace, const Words& words, const Style& style, const std::string& key,
                     const std::string& text) {
  Paper paper(trace, words, style);
  paper.row(*words.find("label." + key), escape_controls(text));
  return paper.take();
}

std::string judged(bool right, const std::string& text, const Style& style) {
  const std::string mark = style.symbols(right ? "✓" : "✗"), hang(display_width(mark) + 1, ' ');
  std::string lines, before = (right ? style.good(mark) : style.bad(mark)) + " ";
  for (const std::string& line : wrap(style.symbols(escape_controls(text)), style.width - hang.size())) {
    lines += before + line + "\n";
    before = hang;
  }
  return lines;
}

Outcome answer_at_terminal(const Trace& trace, const Question& question, const QuestionText& text,
                           const Words& words, const Style& style, GivenUp given_up) {
  const std::string answer = text.answer();
  for (int level = 0;;) {
    say(*words.find("quiz.prompt") + " ");
    const auto typed = next_line();
    if (!typed) {
      say("\n");
      return Outcome::ended;
    }
    if (plain_text(*typed).empty()) {
      say(labelled(trace, words, style, "answer", answer));
      if (given_up == GivenUp::working) say(text.hint(QuestionText::hints) + "\n");
      return Outcome::shown;
    }
    if (asks_for_hint(*typed)) {
      const std::string hint = text.hint(++level);
      say(level < QuestionText::hints ? labelled(trace, words, style, "hint", hint) : hint + "\n");
      if (level == QuestionText::hints) return Outcome::shown;
      continue;
    }
    switch (judge(question.answer, *typed)) {
    case Verdict::right: say(judged(true, text.right(), style)); return Outcome::right;
    case Verdict::wrong: {
      const auto found = diagnose_answer(trace, question, *typed);
      say(judged(false, text.wrong(found ? text.diagnosis(*found) : ""), style));
      break;
    }
    case Verdict::unreadable: say(judged(false, text.unreadable(), style)); break;
    }
  }
}

} // namespace tfx
