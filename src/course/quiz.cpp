#include "course/quiz.hpp"

#include "course/answer_parser.hpp"
#include "course/idea.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/run.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <utility>

namespace tfx {

namespace {

using Kind = Question::Kind;
using Found = std::optional<AnswerDiagnosis>;

// A number of a cell or of a row: what else in the run has it?
class NumberDiagnosis {
public:
  NumberDiagnosis(const Trace& trace, const Question& question, std::string_view typed,
                  const std::vector<WrongTensor>& wrong)
      : trace_(trace),
        question_(question),
        step_(*trace.find(question.tensor)),
        typed_(typed),
        wrong_(wrong),
        right_(std::get<NumberAnswer>(question.answer)) {}

  Found likeliest() const {
    if (const auto number = read_number(typed_); !number || number->value == 0) return zero();
    if (right_.value != 0 && is(-right_.value)) return AnswerDiagnosis{"sign", {}, {}};
    // What stands on the screen before what would have to be computed first: whole numbers meet by chance.
    for (const auto& look : {&NumberDiagnosis::transposed, &NumberDiagnosis::earlier,
                             &NumberDiagnosis::neighbour, &NumberDiagnosis::mistake, &NumberDiagnosis::scale})
      if (const Found found = (this->*look)()) return found;
    return std::nullopt;
  }

private:
  bool is(double value) const {
    if (!std::isfinite(value) || value == right_.value || !is_number(typed_, value, right_.precision))
      return false;
    // A single digit is near many numbers by chance: it names the one that it is.
    const auto digits = std::ranges::count_if(typed_, [](char c) { return c >= '1' && c <= '9'; });
    return digits > 1 || read_number(typed_)->value == value;
  }

  // What the question asks of a tensor: its cell, or the sum of its row.
  double asked_of(const Tensor& tensor, const Index& index) const {
    if (question_.kind == Kind::cell) return tensor.at(index);
    double sum = 0;
    Index cell = index;
    for (cell.push_back(0); cell.back() < tensor.shape.back(); ++cell.back()) sum += tensor.at(cell);
    return sum;
  }

  Found zero() const {
    if (std::isinf(right_.value)) return AnswerDiagnosis{"blocked", {}, {}};
    return std::nullopt;
  }

  Found mistake() const {
    for (const WrongTensor& wrong : wrong_)
      if (wrong.tensor == question_.tensor && wrong.value.shape == step_.value.shape &&
          is(asked_of(wrong.value, question_.index)))
        return AnswerDiagnosis{"mistake", question_.tensor, question_.index, wrong.mistake};
    return std::nullopt;
  }

  Found transposed() const {
    if (question_.kind != Kind::cell || step_.value.rank() < 2) return std::nullopt;
    Index index = question_.index;
    std::swap(index.back(), index[index.size() - 2]);
    const Shape& shape = step_.value.shape;
    if (index.back() >= shape.back() || index[index.size() - 2] >= shape[shape.size() - 2])
      return std::nullopt;
    return is(step_.value.at(index)) ? Found(AnswerDiagnosis{"transposed", step_.name, index}) : std::nullopt;
  }

  // The step before, not yet scaled, not yet a weight.
  Found earlier() const {
    for (const std::string& name : step_.operation.inputs) {
      const Step* input = trace_.find(name);
      if (input && input->value.shape == step_.value.shape && is(asked_of(input->value, question_.index)))
        return AnswerDiagnosis{"earlier", name, question_.index};
    }
    return std::nullopt;
  }

  // A row or a column beside the one that was asked for, then any cell of the same row or column.
  Found neighbour() const {
    Found found;
    for (std::size_t axis = question_.index.size(); axis-- > 0 && !found;)
      for (std::size_t at = 0; at < step_.value.shape[axis]; ++at) {
        Index index = question_.index;
        const std::size_t distance = at > index[axis] ? at - index[axis] : index[axis] - at;
        index[axis] = at;
        if (distance == 0 || !is(asked_of(step_.value, index))) continue;
        if (distance == 1) return AnswerDiagnosis{"other_cell", step_.name, index};
        if (!found) found = AnswerDiagnosis{"other_cell", step_.name, index};
      }
    return found;
  }

  // 66.7 for 66.7 %, or nearly right.
  Found scale() const {
    const auto number = read_number(typed_);
    if (std::isinf(right_.value) || std::isinf(number->value)) return std::nullopt;
    if (right_.value != 0 && is_number(typed_, 100 * right_.value, right_.precision))
      return AnswerDiagnosis{"percent", {}, {}};
    if (std::abs(number->value - right_.value) <= 0.05 * std::abs(right_.value))
      return AnswerDiagnosis{"near", {}, {}};
    return std::nullopt;
  }

  const Trace& trace_;
  const Question& question_;
  const Step& step_;
  std::string_view typed_;
  const std::vector<WrongTensor>& wrong_;
  NumberAnswer right_;
};

Found diagnose_shape(const Shape& right, std::string_view typed) {
  const auto shape = read_shape(typed);
  if (!shape) return std::nullopt;
  if (shape->size() != right.size()) return AnswerDiagnosis{"axes", {}, {}};
  if (std::is_permutation(shape->begin(), shape->end(), right.begin()))
    return AnswerDiagnosis{"axes_swapped", {}, {}};
  return std::nullopt;
}

Found diagnose_largest(const Step& step, const Question& question, std::string_view typed) {
  const auto& answer = std::get<WordAnswer>(question.answer);
  const std::vector<std::size_t> named = words_named(answer, typed);
  if (named.empty()) return std::nullopt;
  Index cell = question.index;
  cell.push_back(0);
  const auto row = [&](std::size_t column) {
    cell.back() = column;
    return step.value.at(cell);
  };
  std::size_t smallest = 0;
  for (std::size_t i = 1; i < answer.count; ++i)
    if (row(i) < row(smallest)) smallest = i;
  cell.back() = named.front();
  if (row(named.front()) == row(smallest)) return AnswerDiagnosis{"smallest", step.name, cell};
  // Down the column of the same number instead of along the row.
  const std::size_t n = question.index.back(), rows = step.value.shape[step.value.rank() - 2];
  if (n < answer.count) {
    Index down = question.index;
    down.push_back(n);
    std::size_t best = 0;
    const auto column = [&](std::size_t r) {
      down[down.size() - 2] = r;
      return step.value.at(down);
    };
    for (std::size_t r = 1; r < rows; ++r)
      if (column(r) > column(best)) best = r;
    if (best == named.front()) return AnswerDiagnosis{"down_the_column", step.name, cell};
  }
  cell.back() = named.front();
  return AnswerDiagnosis{"smaller", step.name, cell};
}

Found diagnose_part(const Question& question, std::string_view typed) {
  const auto& parts = std::get<WordAnswer>(question.answer);
  const std::vector<std::size_t> named = words_named(parts, typed);
  if (named.empty()) return std::nullopt;
  const std::string& part = parts.labels[named.front()];
  const bool is_mistake = question.is_about_mistakes();
  return AnswerDiagnosis{"part", is_mistake ? "" : part, {}, is_mistake ? part : "", named.front()};
}

} // namespace

std::vector<WrongTensor> wrong_tensors(const Trace& trace, const std::string& tensor) {
  std::vector<WrongTensor> wrong;
  const Step* right = trace.find(tensor);
  for (const Mistake& mistake : mistakes()) {
    const WrongRun run = run_wrong(trace, {&mistake});
    // Made at this step: what it is computed from stands beside the question, and is right.
    const bool is_here = !run.changed.empty() && run.changed.front() == tensor;
    const Step* step = is_here ? run.trace.find(tensor) : nullptr;
    if (right && step && step->value.shape == right->value.shape)
      wrong.push_back({mistake.id, tensor, step->value});
  }
  return wrong;
}

Found diagnose_answer(const Trace& trace, const Question& question, std::string_view typed,
                      const std::vector<WrongTensor>& wrong) {
  switch (question.kind) {
  case Kind::cell:
  case Kind::row_sum: return NumberDiagnosis(trace, question, typed, wrong).likeliest();
  case Kind::largest: return diagnose_largest(*trace.find(question.tensor), question, typed);
  case Kind::mask: return AnswerDiagnosis{"mask", question.tensor, question.index};
  case Kind::shape: return diagnose_shape(std::get<ShapeAnswer>(question.answer).shape, typed);
  case Kind::count:
  case Kind::sign:
  case Kind::zeros: return std::nullopt;
  default: return diagnose_part(question, typed);
  }
  return std::nullopt;
}

Found diagnose_answer(const Trace& trace, const Question& question, std::string_view typed) {
  const bool number = question.kind == Kind::cell || question.kind == Kind::row_sum;
  return diagnose_answer(trace, question, typed,
                         number ? wrong_tensors(trace, question.tensor) : std::vector<WrongTensor>{});
}

std::size_t Quiz::right() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(items, [](const QuizItem& item) { return item.verdict == Verdict::right; }));
}

bool draws_numbers(const InputOptions& o) {
  return o.text || o.words || o.x || o.q || o.k || o.v || o.d_model || o.init || o.batch || o.n_q || o.n_k ||
         o.d_k || o.d_v || o.d_ff || o.memory;
}

namespace {

// Every second one asks for thought, as long as there are any.
std::vector<Question> mixed(std::vector<Question> plain, std::vector<Question> ideas, std::size_t count) {
  std::vector<Question> all;
  auto next = plain.begin();
  auto idea = ideas.begin();
  while (all.size() < count && (next != plain.end() || idea != ideas.end())) {
    const bool thinks = idea != ideas.end() && (all.size() % 2 == 1 || next == plain.end());
    all.push_back(std::move(thinks ? *idea++ : *next++));
  }
  return all;
}

} // namespace

Quiz make_quiz(const std::optional<std::string>& lesson, InputOptions options, std::uint64_t seed,
               std::size_t count, int precision, std::vector<std::string>& notes) {
  Quiz quiz;
  quiz.seed = seed, quiz.lesson = lesson;
  options.seed.reset(); // a tutorial's own numbers stay: the seed chooses what is asked about them
  if (draws_numbers(options)) options.usual_seed = static_cast<std::uint32_t>(seed);
  std::vector<const Lesson*> asked;
  std::mt19937_64 draws(seed); // its numbers are the standard's, those of a distribution the library's
  for (std::size_t i = 0; i < count; ++i)
    asked.push_back(lesson ? &find_lesson(*lesson) : &page_lessons()[draws() % page_lessons().size()].get());
  std::map<const Lesson*, std::vector<QuizItem>> ready;
  for (const Lesson* one : asked) {
    if (ready.contains(one)) continue;
    // Asked of many lessons, each is asked with the options that it reads.
    LessonRun run = run_lesson(
        *one, lesson ? options : fitting<InputOptions, InputRules>(input_options(), options, *one));
    notes.insert(notes.end(), run.notes.begin(), run.notes.end());
    const Trace& trace = quiz.traces.emplace_back(std::move(run.trace));
    const auto wanted = static_cast<std::size_t>(std::ranges::count(asked, one));
    for (Question& question : mixed(questions(trace, seed, wanted, precision),
                                    idea_questions(*one, trace, seed, wanted / 2, precision), wanted))
      ready[one].push_back({one, &trace, std::move(question)});
  }
  std::map<const Lesson*, std::size_t> used;
  for (const Lesson* one : asked)
    if (used[one] < ready[one].size()) quiz.items.push_back(std::move(ready[one][used[one]++]));
  return quiz;
}

Quiz quiz_of(const Lesson& lesson, Trace run, std::vector<Question> ideas, std::uint64_t seed,
             std::size_t count, int precision) {
  Quiz quiz;
  quiz.seed = seed, quiz.lesson = lesson.command;
  const Trace& trace = quiz.traces.emplace_back(std::move(run));
  if (!ideas.empty())
    std::rotate(ideas.begin(), ideas.begin() + static_cast<std::ptrdiff_t>(seed % ideas.size()), ideas.end());
  for (Question& question : mixed(questions(trace, seed, count, precision), std::move(ideas), count))
    quiz.items.push_back({&lesson, &trace, std::move(question)});
  return quiz;
}

bool asks_for_thought(const Quiz& quiz, int precision) {
  const auto thinks = [](const QuizItem& item) { return item.question.has_parts(); };
  if (quiz.items.empty() || std::ranges::any_of(quiz.items, thinks)) return !quiz.items.empty();
  const QuizItem& first = quiz.items.front();
  return idea_questions(*first.lesson, *first.trace, quiz.seed, 1, precision).empty();
}

void answer(QuizItem& item, const std::string& typed) {
  item.typed = typed;
  if (plain_text(typed).empty()) return; // an empty line leaves a question out
  item.verdict = judge(item.question.answer, typed);
  if (item.verdict == Verdict::wrong) item.diagnosis = diagnose_answer(*item.trace, item.question, typed);
}

} // namespace tfx
