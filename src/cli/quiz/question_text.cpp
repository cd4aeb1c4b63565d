#include "cli/quiz/question_text.hpp"

#include "cli/break/mistake_words.hpp"
#include "core/number.hpp"
#include "lessons/catalogue.hpp"
#include "render/matrix.hpp"
#include "render/style.hpp"
#include "text/display_width.hpp"
#include "text/names.hpp"
#include "text/utf8.hpp"
#include "trace/trace.hpp"
#include "words/in_words.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tfx {

namespace {

using Kind = Question::Kind;

constexpr std::size_t any_width = 100000;

const Words& words_of_course(Language language) {
  static const Words english = course_words(Language::en), chinese = course_words(Language::zh);
  return language == Language::en ? english : chinese;
}

// Whether one looks through the whole matrix for a cell; of a larger one the cells read are shown.
bool is_whole(const Shape& shape) {
  constexpr std::size_t max_rows = 8, max_columns = 8;
  const std::size_t rows = shape.empty() ? 1 : shape[shape.size() < 2 ? 0 : shape.size() - 2];
  return rows <= max_rows && (shape.size() < 2 || shape.back() <= max_columns);
}

} // namespace

QuestionText::QuestionText(const Trace& trace, const Question& question, const Style& style,
                           Language language)
    : trace_(trace),
      question_(question),
      language_(language),
      words_(words_of_course(language)),
      style_(style),
      step_(question.tensor.empty() ? nullptr : trace.find(question.tensor)) {}

std::string QuestionText::word(const std::string& key, Values values) const {
  if (step_) values.insert({{"tensor", step_->name}, {"formula", step_->formula}});
  const std::string* text = words_.find(key);
  if (!text) return key;
  return fill_in(*text, [&](const std::string& name) { return std::optional(values[name]); }).value_or(key);
}

bool QuestionText::is_about_row() const {
  return question_.kind == Kind::row_sum || question_.kind == Kind::largest || question_.kind == Kind::zeros;
}

// The cell asked for, or the first one of the row.
Explanation QuestionText::explained() const {
  Index index = question_.index;
  if (is_about_row()) index.push_back(0);
  return explain(trace_, question_.tensor, index, 0, max_terms, style_.precision);
}

std::string QuestionText::axis_name(const Step& step, std::size_t axis, std::size_t at) const {
  const auto& labels = step.labels[axis];
  return labels.empty() ? std::to_string(at) : labels[at];
}

// "weights[I, :]".
std::string QuestionText::row_name(const Step& step, const Index& row) const {
  std::string text = step.name + "[";
  for (std::size_t axis = 0; axis < row.size(); ++axis) text += axis_name(step, axis, row[axis]) + ", ";
  return text + ":]";
}

// "scores[q1, k3]", "scores[q1, :]", "scores".
std::string QuestionText::subject() const {
  if (is_about_row()) return row_name(*step_, question_.index);
  const bool is_cell =
      question_.kind == Kind::cell || question_.kind == Kind::mask || question_.kind == Kind::sign;
  return is_cell ? cell_name(*step_, question_.index) : question_.tensor;
}

// "Q[q1, :], K[k3, :]": a tensor's cells that are read, ":" for an axis along which they go.
std::string QuestionText::places() const {
  // A tensor that a term reads twice, as X·Xᵀ does, is two places.
  std::vector<std::pair<std::string, std::size_t>> reads;
  std::map<std::pair<std::string, std::size_t>, std::vector<Index>> read;
  for (const Index& index : asked())
    for (const Term& term : explain(trace_, step_->name, index, 0, max_terms, style_.precision).terms) {
      std::map<std::string, std::size_t> times;
      for (const CellRef& cell : term.reads) {
        const std::pair key(cell.tensor, times[cell.tensor]++);
        if (read[key].empty()) reads.push_back(key);
        read[key].push_back(cell.index);
      }
    }
  std::vector<std::string> tensors;
  for (const auto& key : reads) {
    const std::vector<Index>& cells = read[key];
    std::string tensor = key.first;
    const Step& step = *trace_.find(tensor);
    if (cells.front().empty()) {
      tensors.push_back(tensor);
      continue;
    }
    std::vector<std::string> place;
    for (std::size_t axis = 0; axis < cells.front().size(); ++axis) {
      const auto differs = [&](const Index& cell) { return cell[axis] != cells.front()[axis]; };
      const bool along = std::ranges::any_of(cells, differs);
      const auto& labels = step.labels[axis];
      const std::size_t at = cells.front()[axis];
      place.push_back(along ? ":" : labels.empty() ? std::to_string(at) : labels[at]);
    }
    tensors.push_back(tensor + "[" + join(place) + "]");
  }
  return join(tensors);
}

std::vector<std::string> QuestionText::parameters() const {
  if (step_) return {step_->name};
  std::vector<std::string> names;
  for (const Step& step : trace_.steps)
    if (step.role == Role::parameter) names.push_back(step.name);
  return names;
}

// "Q 4×3, K 4×3".
std::string QuestionText::shapes_of(const std::vector<std::string>& names) const {
  std::vector<std::string> shapes;
  for (const std::string& name : names)
    if (const Step* step = trace_.find(name))
      shapes.push_back(name + " " + to_page_string(step->value.shape));
  return join(shapes);
}

std::string QuestionText::ask() const {
  switch (question_.kind) {
  case Kind::cell: return word("ask.cell", {{"cell", subject()}});
  case Kind::row_sum: return word("ask.row_sum", {{"row", subject()}});
  case Kind::zeros: return word("ask.zeros", {{"row", subject()}});
  case Kind::sign: return word("ask.sign", {{"cell", subject()}});
  case Kind::largest:
    return word(step_->name == "weights" ? "ask.attends" : "ask.largest", {{"row", subject()}});
  case Kind::mask: {
    const std::size_t row = question_.index.size() - 2;
    return word("ask.mask", {{"cell", subject()},
                             {"row", axis_name(*step_, row, question_.index[row])},
                             {"column", axis_name(*step_, row + 1, question_.index[row + 1])}});
  }
  case Kind::shape: return word("ask.shape");
  case Kind::count: return word(step_ ? "ask.count" : "ask.count_all", {{"tensors", listed(parameters())}});
  default: return word("ask." + std::string(name_of(question_.kind)), {{"tensor", question_.tensor}});
  }
}

// The cells that the question is about: one, or all of a row.
std::vector<Index> QuestionText::asked() const {
  if (!is_about_row()) return {question_.index};
  std::vector<Index> cells(step_->value.shape.back(), question_.index);
  for (std::size_t column = 0; column < cells.size(); ++column) cells[column].push_back(column);
  return cells;
}

// "Q[I, :] = -1.1746  -1.2455": what is read, row by row, of each tensor in turn.
std::vector<std::string> QuestionText::cells_read() const {
  std::map<std::pair<std::string, Index>, std::map<std::size_t, double>> rows;
  for (const Index& index : asked())
    for (const Term& term : explain(trace_, step_->name, index, 0, max_terms, style_.precision).terms)
      for (const CellRef& cell : term.reads)
        if (!cell.index.empty())
          rows[{cell.tensor, Index(cell.index.begin(), cell.index.end() - 1)}][cell.index.back()] =
              cell.value;
  std::vector<std::string> lines;
  for (const auto& [place, cells] : rows) {
    const Step& step = *trace_.find(place.first);
    Index cell = place.second;
    cell.push_back(cells.begin()->first);
    std::string line = (cells.size() == 1 ? cell_name(step, cell) : row_name(step, place.second)) + " =";
    for (const auto& [column, value] : cells)
      line += (line.ends_with('=') ? " " : "  ") + screen_number(value, style_.precision);
    for (std::string& part : wrap(style_.symbols(escape_controls(line)), style_.width))
      lines.push_back(std::move(part));
  }
  return lines;
}

// Of a stack the matrix that the question is about, where the input has one for each of the step's.
std::optional<std::size_t> QuestionText::slice_read(const Step& input) const {
  if (input.value.rank() < 3 || step_->value.rank() < 2 ||
      stack_shape(input.value) != stack_shape(step_->value))
    return std::nullopt;
  const auto leading = static_cast<std::ptrdiff_t>(input.value.rank()) - 2;
  return offset_of(stack_shape(input.value),
                   Index(question_.index.begin(), question_.index.begin() + leading));
}

std::vector<std::string> QuestionText::parts() const {
  return std::get<WordAnswer>(question_.answer).labels;
}

std::vector<std::string> QuestionText::given() const {
  if (question_.has_parts()) return choices();
  if (question_.kind == Kind::shape || question_.kind == Kind::count) {
    const std::string shapes =
        shapes_of(question_.kind == Kind::count ? parameters() : step_->operation.inputs);
    return wrap(style_.symbols(word("given.shapes", {{"shapes", shapes}})), style_.width);
  }
  if (step_->operation.is(op::causal_mask) || step_->operation.is(op::causal_mask_lower_right) ||
      step_->operation.is(op::padding_mask))
    return {};
  std::vector<TextBlock> blocks;
  std::set<std::string> shown;
  for (const std::string& name : step_->operation.inputs) {
    const Step& input = *trace_.find(name);
    if (!shown.insert(name).second) continue;
    const std::size_t slices = input.value.rank() < 2 ? 1 : matrix_count(input.value);
    const auto only = slice_read(input);
    for (std::size_t slice = only.value_or(0); slice < (only ? *only + 1 : slices); ++slice) {
      TextBlock block;
      block.add(slices == 1 ? header_line(input, style_) : slice_name(input, slice));
      const TextBlock matrix = matrix_block(input, slice, style_, any_width);
      if (!is_whole(input.value.shape) || matrix.width > style_.width) return cells_read();
      block.add(matrix);
      blocks.push_back(std::move(block));
    }
  }
  return blocks.empty() ? std::vector<std::string>{} : place(blocks, style_.width);
}

// The parts, a number each; a mistake with what it does, and what came of one beside the right result.
std::vector<std::string> QuestionText::choices() const {
  std::vector<std::string> lines;
  if (question_.kind == Kind::mistake) {
    const std::string made = parts()[std::get<WordAnswer>(question_.answer).right.front()];
    const WrongRun wrong = run_wrong(trace_, {find_mistake(made)});
    std::vector<TextBlock> blocks;
    for (const Trace* run : {&trace_, &wrong.trace}) {
      Step step = *run->find(question_.tensor);
      step.formula.clear(); // it would say which
      const char* key = run == &trace_ ? "given.right" : "given.wrong";
      for (std::size_t i = 0; i < (step.value.rank() < 2 ? 1 : matrix_count(step.value)); ++i) {
        TextBlock& block = blocks.emplace_back();
        block.add(word(key) + " " + (step.value.rank() < 3 ? step.name : slice_name(step, i)));
        block.add(matrix_block(step, i, style_, style_.width));
      }
    }
    lines = place(blocks, style_.width);
    lines.emplace_back();
  }
  for (std::size_t i = 0; i < parts().size(); ++i) {
    std::string line = std::to_string(i) + "  " + parts()[i];
    if (question_.is_about_mistakes())
      line += ": " + described(*find_mistake(parts()[i]), trace_, style_, language_);
    else if (const Step* step = trace_.find(parts()[i]))
      line += " = " + step->formula;
    std::string indent; // of what does not fit on its line
    for (const std::string& part : wrap(style_.symbols(escape_controls(line)), style_.width - 3))
      lines.push_back(indent + part), indent = "   ";
  }
  return lines;
}

std::string QuestionText::answer() const {
  std::string value = text_of(question_.answer);
  if (const auto* number = std::get_if<NumberAnswer>(&question_.answer))
    value = screen_number(number->value, number->precision);
  switch (question_.kind) {
  case Kind::cell:
  case Kind::mask: return subject() + " = " + value;
  case Kind::count:
  case Kind::zeros: return value;
  case Kind::sign: return subject() + (std::get<SignAnswer>(question_.answer).positive ? " > 0" : " < 0");
  case Kind::shape: return step_->name + " " + value;
  default: {
    const auto& row = std::get<WordAnswer>(question_.answer);
    return row.labels.empty() ? value : value + " (" + std::to_string(row.right.front()) + ")";
  }
  case Kind::row_sum: return value;
  }
}

std::string QuestionText::right() const {
  return word("answer.right", {{"answer", answer()}});
}

std::string QuestionText::wrong(const std::optional<AnswerDiagnosis>& found) const {
  return word("answer.wrong_because", {{"why", found ? diagnosis(*found) : hint(1)}});
}

std::string QuestionText::unreadable() const {
  if (question_.has_parts()) return word("answer.unreadable.part");
  switch (question_.kind) {
  case Kind::shape: return word("answer.unreadable.shape");
  case Kind::mask: return word("answer.unreadable.mask");
  case Kind::sign: return word("answer.unreadable.sign");
  case Kind::largest: {
    const auto& row = std::get<WordAnswer>(question_.answer);
    std::vector<std::string> columns;
    for (std::size_t i = 0; i < row.count; ++i) {
      const std::string name = row.labels.empty() ? std::to_string(i) : row.labels[i];
      if (std::ranges::find(columns, name) == columns.end()) columns.push_back(name);
    }
    return word("answer.unreadable.word", {{"columns", listed(columns)}});
  }
  default: return word("answer.unreadable.number");
  }
}

} // namespace tfx
