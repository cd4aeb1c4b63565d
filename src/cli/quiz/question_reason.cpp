// Why: what a wrong answer is the answer of, and what makes the right one right.

#include "cli/break/mistake_words.hpp"
#include "cli/quiz/question_text.hpp"
#include "core/number.hpp"
#include "course/idea.hpp"
#include "render/explain_text.hpp"
#include "render/style.hpp"
#include "text/names.hpp"
#include "trace/trace.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using Kind = Question::Kind;

std::string with_formula(const Step& step) {
  return step.name + " = " + step.formula;
}

} // namespace

// What the part that was chosen does instead.
std::string QuestionText::chosen(std::size_t part) const {
  const std::string name = parts()[part];
  const double measured = question_.measured[part];
  Values values = {{"part", name}, {"value", screen_number(measured, style_.precision)}};
  const std::string key = "diagnosis.part." + std::string(name_of(question_.kind));
  if (question_.kind == Kind::mistake) {
    const auto& row = std::get<WordAnswer>(question_.answer);
    values["cell"] = cell_name(*step_, question_.index);
    values["shown"] = screen_number(question_.measured[row.right.front()], style_.precision);
  } else if (const Step* step = trace_.find(name)) {
    values["part"] = with_formula(*step);
    return word(std::isnan(measured) ? "diagnosis.part.no_factor" : "diagnosis.part.factor", values);
  } else if (question_.is_about_mistakes()) {
    values["symptom"] = words_of(*find_mistake(name), trace_, style_, language_).symptom;
  }
  return word(key, values);
}

std::string QuestionText::diagnosis(const AnswerDiagnosis& found) const {
  if (found.part) return chosen(*found.part);
  if (found.id == "mistake")
    return word("diagnosis.mistake",
                {{"mistake", found.mistake},
                 {"advice", words_of(*find_mistake(found.mistake), trace_, style_, language_).advice}});
  Values values;
  if (!found.tensor.empty()) {
    const Step& step = *trace_.find(found.tensor);
    const bool cell = found.index.size() == step.value.rank();
    values["cell"] = values["row"] = cell ? cell_name(step, found.index) : row_name(step, found.index);
    if (!cell && found.id == "other_cell") return word("diagnosis.other_row", values);
  }
  return word("diagnosis." + found.id, values);
}

// "Σ Q[q1, :]·K[k3, :] = 2·2 + 0·4 + 2·3 = 10", "j ≤ i (j = 4 > i = 0 ⇒ 0)".
std::string QuestionText::why_cell() const {
  const Words common = common_words(language_);
  const Paper paper(trace_, common, style_);
  const Explanation cell = explained();
  std::string text = cell.formula;
  if (!cell.terms.empty() && !cell.by_rule) text += " = " + arithmetic_text(paper, cell, max_terms);
  text += cell.rule.empty() ? " = " + screen_number(cell.cell.value, style_.precision)
                            : " (" + rule_text(paper, cell) + ")";
  return question_.kind == Kind::sign ? word("why.sign", {{"arithmetic", text}}) : text;
}

std::string QuestionText::why_row() const {
  if (question_.kind == Kind::zeros) {
    std::vector<std::string> columns;
    for (const Index& cell : asked())
      if (step_->value.at(cell) == 0) columns.push_back(axis_name(*step_, cell.size() - 1, cell.back()));
    return word("why.zeros", {{"row", subject()}, {"columns", listed(columns)}});
  }
  if (question_.kind == Kind::largest)
    return row_hint(hints) + (step_->operation.is(op::softmax) ? " " + word("why.largest.softmax") : "");
  const double sum = std::get<NumberAnswer>(question_.answer).value;
  const bool shares = step_->operation.is(op::softmax) || step_->operation.is(op::divide);
  if (sum == 1 && shares) return word("why.row_sum.shares");
  if (sum == 0 && step_->role == Role::gradient) return word("why.row_sum.gradient");
  if (sum == 0 && step_->operation.is(op::divide)) return word("why.row_sum.centred");
  return row_hint(hints);
}

// How the factor 2 came to the part, or where it was lost.
std::string QuestionText::why_moved(const Step& part) const {
  const std::vector<Reached> reached = steps_reached(trace_, question_.tensor, part.name);
  if (reached.empty()) return word("why.unmoved.apart", {{"part", with_formula(part)}});
  if (question_.kind == Kind::unmoved) {
    const auto lost = std::ranges::find_if(reached, &Reached::stays);
    const std::string& name = lost == reached.end() ? part.name : lost->tensor;
    return word("why.unmoved.lost", {{"part", with_formula(*trace_.find(name))}});
  }
  constexpr std::size_t few = 3;
  std::vector<std::string> steps;
  for (const Reached& step : reached)
    steps.push_back(reached.size() > few ? step.tensor : with_formula(*trace_.find(step.tensor)));
  return word("why.doubled", {{"steps", reached.size() > few ? join(steps, " → ") : listed(steps)}});
}

std::string QuestionText::why_part() const {
  const std::size_t right = std::get<WordAnswer>(question_.answer).right.front();
  const std::string name = parts()[right];
  if (!question_.is_about_mistakes()) {
    const Step* step = trace_.find(name);
    return step && question_.kind != Kind::effect ? why_moved(*step) : chosen(right);
  }
  const Mistake& mistake = *find_mistake(name);
  const MistakeWords words = words_of(mistake, trace_, style_, language_);
  const auto seen = question_.kind == Kind::unseen ? command_that_shows(mistake) : std::nullopt;
  const Words common = common_words(language_);
  const Paper paper(trace_, common, style_);
  std::string text = words.symptom;
  for (const std::string& more :
       {words.advice, seen ? paper.word("seen_with", {{"command", *seen}}).value() : std::string()})
    if (!more.empty()) text += (text.empty() ? "" : " ") + more;
  return text;
}

std::string QuestionText::why() const {
  switch (question_.kind) {
  case Kind::cell:
  case Kind::mask:
  case Kind::sign: return why_cell();
  case Kind::row_sum:
  case Kind::largest:
  case Kind::zeros: return why_row();
  case Kind::shape: return hint(1) + " " + shapes_of(step_->operation.inputs);
  case Kind::count: return hint(1) + " " + hint(hints);
  default: return why_part();
  }
}

} // namespace tfx
