#pragma once
// A question asked at the terminal: what is typed, what is said to it, and hints.

#include "cli/quiz/question_text.hpp"
#include "render/paper.hpp"

namespace tfx {

// One question to a learner at the terminal: answers, hints, tries, until it is answered, shown, or the
// learner ends.

enum class Outcome { right, shown, ended };

/// How a question ended, and what was answered last; empty where nothing was.
struct Asked {
  Outcome outcome;
  std::string answer = {};
};

/// A named row as the screens have them: "question What number is …".
std::string labelled(const Trace& trace, const Words& words, const Style& style, const std::string& key,
                     const std::string& text);

/// Why the answer is what it is, below a verdict.
std::string reason(const QuestionText& text, const Style& style);

/// The question has been shown; the dialogue about it. Writes to standard output.
Asked answer_at_terminal(const Trace& trace, const Question& question, const QuestionText& text,
                         const Words& words, const Style& style);

} // namespace tfx
