#include "cli/quiz/question_dialogue.hpp"

#include "cli/quiz/question_text.hpp"
#include "cli/terminal_lines.hpp"
#include "course/answer_parser.hpp"
#include "render/explain_text.hpp"
#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

// The three hints of a question: where to look, the formula with its numbers, the worked answer.

namespace {

using Kind = Question::Kind;

std::string without_line_ends(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

} // namespace

std::string QuestionText::cell_hint(int level) const {
  const Paper paper(trace_, words_, style_);
  const Explanation cell = explained();
  if (question_.kind == Kind::mask && level == 1) {
    const std::size_t rank = question_.index.size();
    return word("hint.mask.1", {{"row", axis_name(*step_, rank - 2, question_.index[rank - 2])},
                                {"column", axis_name(*step_, rank - 1, question_.index[rank - 1])}});
  }
  if (level == 1 && !cell.terms.empty()) return word("hint.cell.1", {{"places", places()}});
  if (level < hints) {
    const bool has_sum = level == 2 && !cell.terms.empty() && !cell.by_rule;
    return cell.label + " = " + cell.formula +
           (has_sum ? " = " + arithmetic_text(paper, cell, max_terms) : "");
  }
  const Words common = common_words(language_);
  return without_line_ends(render_explanation(trace_, cell, max_terms, common, style_));
}

std::string QuestionText::row_hint(int level) const {
  std::vector<std::string> columns, summands;
  Index cell = question_.index;
  for (cell.push_back(0); cell.back() < step_->value.shape.back(); ++cell.back()) {
    const double value = step_->value.at(cell);
    const std::string number = screen_number(value, style_.precision);
    columns.push_back(axis_name(*step_, cell.size() - 1, cell.back()) + ": " + number);
    summands.push_back(summands.empty() || value >= 0 ? number : "(" + number + ")");
  }
  const bool sum = question_.kind == Kind::row_sum;
  if (question_.kind == Kind::zeros) {
    if (level == 1) return word("hint.zeros.1", {{"row", subject()}, {"places", places()}});
    return subject() + "  " + join(columns, "  ");
  }
  if (level == 1) {
    const bool weights = sum && step_->operation.is(op::softmax);
    return word(weights ? "hint.row_sum.weights"
                : sum   ? "hint.row_sum.1"
                        : "hint.largest.1",
                {{"row", subject()}, {"places", places()}});
  }
  if (sum)
    return subject() + ": " + join(summands, " + ") + (level == 2 ? "" : " = " + text_of(question_.answer));
  if (level == 2) return subject() + "  " + join(columns, "  ");
  const auto& answer = std::get<WordAnswer>(question_.answer);
  cell.back() = answer.right.front();
  return word("worked.largest", {{"row", subject()},
                                 {"value", screen_number(step_->value.at(cell), style_.precision)},
                                 {"column", text_of(question_.answer)}});
}

std::string QuestionText::shape_rule() const {
  if (const std::string_view rule = step_->operation.kind->shape_hint; !rule.empty())
    return std::string(rule);
  const Step* first =
      step_->operation.inputs.empty() ? nullptr : trace_.find(step_->operation.inputs.front());
  return first && first->value.shape == step_->value.shape ? "same" : "other";
}

std::string QuestionText::shape_hint(int level) const {
  if (level == 1) return word("hint.shape." + shape_rule());
  const std::string line = step_->name + " = " + step_->formula + ": " + shapes_of(step_->operation.inputs);
  return level == 2 ? line : line + " → " + step_->name + " " + to_page_string(step_->value.shape);
}

std::string QuestionText::count_hint(int level) const {
  if (level == 1) return word("hint.count.1", {{"tensors", listed(parameters())}});
  std::vector<std::string> products;
  for (const std::string& name : parameters()) {
    std::vector<std::string> extents;
    for (const std::size_t extent : trace_[name].shape) extents.push_back(std::to_string(extent));
    products.push_back(join(extents, "·"));
  }
  return join(products, " + ") + (level == 2 ? "" : " = " + text_of(question_.answer));
}

// What each part is measured by; second, one of them is ruled out, or the way to try it is shown.
std::string QuestionText::parts_hint(int level) const {
  const std::vector<std::string> names = parts();
  const std::string kind(name_of(question_.kind));
  const std::string cell =
      question_.kind == Kind::mistake ? cell_name(*step_, question_.index) : question_.tensor;
  if (level == 1) return word("hint." + kind + ".1", {{"cell", cell}});
  const std::size_t right = std::get<WordAnswer>(question_.answer).right.front();
  if (level < hints) {
    const std::string& other = names[right == 0 ? 1 : 0];
    return question_.kind == Kind::effect ? word("hint.effect.2", {{"part", names.front()}})
                                          : word("hint.part.2", {{"part", other}});
  }
  std::string lines = word("worked." + kind, {{"cell", cell}});
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double measured = question_.measured[i];
    lines += "\n" + (std::isnan(measured) ? word("worked.no_factor") : screen_number(measured, 4)) + "  " +
             names[i];
  }
  return lines;
}

std::string QuestionText::hint(int level) const {
  switch (question_.kind) {
  case Kind::cell:
  case Kind::mask:
  case Kind::sign: return cell_hint(level);
  case Kind::row_sum:
  case Kind::largest:
  case Kind::zeros: return row_hint(level);
  case Kind::shape: return shape_hint(level);
  case Kind::count: return count_hint(level);
  default: return parts_hint(level);
  }
}

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

std::string reason(const QuestionText& text, const Style& style) {
  std::string lines;
  for (const std::string& line : wrap(style.symbols(escape_controls(text.why())), style.width - 2))
    lines += "  " + line + "\n";
  return lines;
}

namespace {

/// "✓ right: …", "✗ no. That is …": what became of an answer, wrapped.
std::string judged(bool right, const std::string& text, const Style& style) {
  const std::string mark = style.symbols(right ? "✓" : "✗"), hang(display_width(mark) + 1, ' ');
  std::string lines, before = (right ? style.good(mark) : style.bad(mark)) + " ";
  for (const std::string& line : wrap(style.symbols(escape_controls(text)), style.width - hang.size())) {
    lines += before + line + "\n";
    before = hang;
  }
  return lines;
}

/// "q", unless that is what something to choose from is called.
bool ends_quiz(const std::string& typed, const Question& question) {
  if (plain_text(typed) != "q") return false;
  const auto* words = std::get_if<WordAnswer>(&question.answer);
  return !words || std::ranges::count(words->labels, "q") == 0;
}

} // namespace

Asked answer_at_terminal(const Trace& trace, const Question& question, const QuestionText& text,
                         const Words& words, const Style& style) {
  const std::string answer = text.answer();
  std::string last;
  for (int level = 0;;) {
    say(*words.find("quiz.prompt") + " ");
    const auto typed = next_line();
    if (!typed || ends_quiz(*typed, question)) {
      if (!typed) say("\n");
      return {Outcome::ended, last};
    }
    if (plain_text(*typed).empty()) {
      say(labelled(trace, words, style, "answer", answer) + reason(text, style));
      return {Outcome::shown, last};
    }
    if (asks_for_hint(*typed)) {
      const std::string hint = text.hint(++level);
      say(level < QuestionText::hints ? labelled(trace, words, style, "hint", hint) : hint + "\n");
      if (level == QuestionText::hints) return {Outcome::shown, last};
      continue;
    }
    last = *typed;
    switch (judge(question.answer, last)) {
    case Verdict::right:
      say(judged(true, text.right(), style) + reason(text, style));
      return {Outcome::right, last};
    case Verdict::wrong: say(judged(false, text.wrong(diagnose_answer(trace, question, last)), style)); break;
    case Verdict::unreadable: say(judged(false, text.unreadable(), style)); break;
    }
  }
}

} // namespace tfx
