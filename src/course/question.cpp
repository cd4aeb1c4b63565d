#include "course/question.hpp"

#include "core/number.hpp"
#include "course/taught.hpp"
#include "trace/explain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <tuple>

namespace tfx {

namespace {

using Kind = Question::Kind;

// What a hand computes: the terms of a cell, those of a row that is compared, and the side of a matrix that
// is looked through.
constexpr std::size_t max_terms = 6, max_work = 12, max_side = 12;
constexpr double nothing = 1e-9; ///< what rounding made of 0

// Whole numbers below n, the same on every machine: std::uniform_int_distribution is each library's own.
class Draws {
public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

private:
  std::mt19937_64 engine_;
};

bool is_mask(const Step& step) {
  return step.operation.kind->is_mask;
}

// Rows that are compared and added: of scores and of weights.
bool has_meaningful_rows(const Step& step) {
  return step.value.rank() >= 2 && step.operation.kind->rows_compare;
}

bool is_computed(const Step& step) {
  return !step.operation.is(op::given) && step.value.size() > 0;
}

// How many terms a cell has, as far as the shapes say it: to explain a cell of 10,000 terms takes a
// millisecond.
std::size_t terms_of(const Trace& trace, const Step& step) {
  const auto terms = step.operation.kind->terms;
  return terms ? terms(trace.computed(step)) : 1;
}

bool is_short(const Trace& trace, const Step& step) {
  const Shape& shape = step.value.shape;
  const bool is_small =
      std::all_of(shape.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(2, shape.size())),
                  shape.end(), [](std::size_t extent) { return extent <= max_side; });
  return is_computed(step) && is_small && terms_of(trace, step) <= max_terms;
}

bool is_whole(double value) {
  return value == std::round(value);
}

// Twice as many products of whole numbers as of others.
std::size_t work_allowed(const Trace& trace, const Step& step) {
  const auto has_whole = [&](const std::string& name) {
    return std::ranges::all_of(trace[name].data, is_whole);
  };
  return std::ranges::all_of(step.operation.inputs, has_whole) ? max_work : max_terms;
}

// A softmax is largest where its input is, and one looks through a row of numbers that are there: nothing to
// compute.
std::size_t work_of_row(const Trace& trace, const Step& step) {
  const std::size_t terms = terms_of(trace, step);
  return step.operation.is(op::softmax) || terms == 1 ? 1 : step.value.shape.back() * terms;
}

// What every row adds up to, where that is known before it is computed: 1 of a softmax, 0 of a gradient
// behind one.
std::optional<double> sum_of_rows(const Step& step) {
  if (step.value.rank() < 2 || step.value.shape.back() < 2) return std::nullopt;
  std::optional<double> sum;
  for (std::size_t row = 0; row < step.value.size(); row += step.value.shape.back()) {
    double own = 0;
    for (std::size_t i = 0; i < step.value.shape.back(); ++i) own += step.value.data[row + i];
    if (!sum) sum = std::abs(own) < nothing ? 0 : std::round(own);
    if (!(std::abs(own - *sum) < nothing)) return std::nullopt;
  }
  return sum == 0 || sum == 1 ? sum : std::nullopt;
}

bool suits(const Trace& trace, const Step& step, Kind kind) {
  if (trace.is_of_model(step) || trace.inner.contains(step.name))
    return false; // not what the lesson is about
  const bool has_rows = step.value.rank() >= 2 && is_computed(step) && step.value.shape.back() > 1 &&
                        step.value.shape.back() <= max_side;
  switch (kind) {
  case Kind::cell: return is_short(trace, step) && !is_mask(step);
  case Kind::row_sum:
    return has_rows && (has_meaningful_rows(step) || step.role == Role::gradient) &&
           (sum_of_rows(step) || step.value.shape.back() * terms_of(trace, step) <= max_terms);
  case Kind::largest:
    return has_rows && has_meaningful_rows(step) && step.role != Role::gradient &&
           work_of_row(trace, step) <= work_allowed(trace, step);
  case Kind::mask: return is_computed(step) && is_mask(step);
  case Kind::shape: return is_computed(step) && step.value.rank() > 0;
  case Kind::count: return step.role == Role::parameter && step.value.rank() > 1;
  case Kind::sign: return has_rows && step.operation.is(op::log_softmax_gradient);
  case Kind::zeros: return has_rows && step.role == Role::gradient;
  default: return false; // of a whole run
  }
  return false;
}

Index any_index(const Shape& shape, Draws& draws) {
  Index index;
  for (const std::size_t extent : shape) index.push_back(draws.below(extent));
  return index;
}

// A number that rounding made of 0 (1e-17) is nothing to compute by hand.
bool is_askable(double value) {
  return !std::isnan(value) && (value == 0 || std::abs(value) > nothing);
}

// A number of few digits, and none that is written 3.1e-06.
bool has_few_digits(double value, int precision) {
  constexpr double many = 1e6;
  return !std::isfinite(value) ||
         (std::abs(value) < many && format_number(value, precision).find('e') == std::string::npos);
}

// Whether a hand computes the cell.
bool is_for_hand(const Explanation& cell, double value, int precision) {
  const auto reads_few = [&](const Term& term) {
    return std::ranges::all_of(term.reads,
                               [&](const CellRef& read) { return has_few_digits(read.value, precision); });
  };
  return cell.terms.size() <= max_terms && has_few_digits(value, precision) &&
         std::ranges::all_of(cell.terms, reads_few);
}

// Whether the answer stands on the screen already, in a cell that is read: who copies it has computed
// nothing.
bool is_copied(const Explanation& cell, double value, int precision) {
  const std::string shown = format_number(value, precision);
  return std::ranges::any_of(cell.terms, [&](const Term& term) {
    return std::ranges::any_of(
        term.reads, [&](const CellRef& read) { return format_number(read.value, precision) == shown; });
  });
}

std::vector<double> row_of(const Step& step, Index index) {
  std::vector<double> row;
  for (index.push_back(0); index.back() < step.value.shape.back(); ++index.back())
    row.push_back(step.value.at(index));
  return row;
}

// Whether the labels name this cell and no other that differs: "the" may stand in a sentence twice.
bool is_named(const Step& step, const Index& cell) {
  for (std::size_t axis = 0; axis < cell.size(); ++axis) {
    const auto& labels = step.labels[axis];
    Index other = cell;
    for (std::size_t at = 0; at < labels.size(); ++at) {
      other[axis] = at;
      if (labels[at] == labels[cell[axis]] && step.value.at(other) != step.value.at(cell)) return false;
    }
  }
  return true;
}

bool is_named_row(const Step& step, Index cell) {
  for (cell.push_back(0); cell.back() < step.value.shape.back(); ++cell.back())
    if (!is_named(step, cell)) return false;
  return true;
}

std::optional<Question> ask_cell(const Trace& trace, const Step& step, Draws& draws, int precision) {
  std::optional<Question> plain; // 0, or one product among zeros: better than nothing
  for (int tries = 0; tries < 24; ++tries) {
    const Index index = any_index(step.value.shape, draws);
    const double value = step.value.at(index);
    if (!is_askable(value) || !is_named(step, index)) continue;
    const Explanation cell = explain(trace, step.name, index, 0, max_terms, precision);
    if (!is_for_hand(cell, value, precision)) continue;
    if (!step.operation.kind->marks && is_copied(cell, value, precision)) continue;
    const Question question{Kind::cell, step.name, index, NumberAnswer{value, precision}};
    if (step.operation.kind->marks || (value != 0 && std::isfinite(value))) return question;
    if (!plain) plain = question;
  }
  return plain;
}

Index any_row(const Step& step, Draws& draws) {
  Shape rows = step.value.shape;
  rows.pop_back();
  return any_index(rows, draws);
}

std::optional<Question> ask_row_sum(const Trace& trace, const Step& step, Draws& draws, int precision) {
  const Index index = any_row(step, draws);
  const std::vector<double> row = row_of(step, index);
  if (row.size() == static_cast<std::size_t>(std::ranges::count(row, 0.0)) || !is_named_row(step, index))
    return std::nullopt;
  double sum = 0;
  for (const double value : row) sum += value;
  if (const auto known = sum_of_rows(step))
    sum = *known;
  else if (Index cell = index;
           cell.push_back(0),
           row.size() * explain(trace, step.name, cell, 0, max_terms, precision).terms.size() > max_terms)
    return std::nullopt;
  if (!std::isfinite(sum) || !is_askable(sum)) return std::nullopt;
  return Question{Kind::row_sum, step.name, index, NumberAnswer{sum, precision}};
}

// Down where a token is the label, up where it is none, as far as there is any probability.
std::optional<Question> ask_sign(const Step& step, Draws& draws, int precision) {
  Index index = any_row(step, draws);
  const std::vector<double> row = row_of(step, index);
  const auto label = static_cast<std::size_t>(std::ranges::min_element(row) - row.begin());
  index.push_back(draws.below(2) == 0 ? label : draws.below(row.size()));
  const double value = step.value.at(index);
  if (std::abs(value) < std::pow(10.0, -precision) || !is_named(step, index)) return std::nullopt;
  return Question{Kind::sign, step.name, index, SignAnswer{value > 0}};
}

std::optional<Question> ask_zeros(const Step& step, Draws& draws) {
  const Index index = any_row(step, draws);
  const std::vector<double> row = row_of(step, index);
  const auto zeros = static_cast<std::size_t>(std::ranges::count(row, 0.0));
  const auto tiny = [](double value) { return value != 0 && std::abs(value) < nothing; };
  if (zeros == 0 || zeros == row.size() || std::ranges::any_of(row, tiny) || !is_named_row(step, index))
    return std::nullopt;
  return Question{Kind::zeros, step.name, index, CountAnswer{zeros}};
}

// Only where the largest can be told from the others on the screen; equal words are one answer.
std::optional<Question> ask_largest(const Step& step, Draws& draws, int precision) {
  const Index index = any_row(step, draws);
  const std::vector<double> row = row_of(step, index);
  if (std::ranges::any_of(row, [](double value) { return std::isnan(value); })) return std::nullopt;
  const double largest = *std::ranges::max_element(row);
  const double near = std::max(2 * std::pow(10.0, -precision), 1e-9 * std::abs(largest));
  if (!std::isfinite(largest) || !is_named_row(step, index)) return std::nullopt;
  WordAnswer answer{step.labels.back(), row.size(), {}};
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] >= largest - near) answer.right.push_back(i);
  const auto same = [&](std::size_t i) {
    return i == answer.right.front() ||
           (!answer.labels.empty() && answer.labels[i] == answer.labels[answer.right.front()]);
  };
  if (answer.right.size() == row.size() || !std::ranges::all_of(answer.right, same)) return std::nullopt;
  return Question{Kind::largest, step.name, index, std::move(answer)};
}

std::optional<Question> ask(const Trace& trace, const Step& step, Kind kind, Draws& draws, int precision) {
  switch (kind) {
  case Kind::cell: return ask_cell(trace, step, draws, precision);
  case Kind::row_sum: return ask_row_sum(trace, step, draws, precision);
  case Kind::largest: return ask_largest(step, draws, precision);
  case Kind::sign: return ask_sign(step, draws, precision);
  case Kind::zeros: return ask_zeros(step, draws);
  case Kind::mask: {
    const Index index = any_index(step.value.shape, draws);
    if (!is_named(step, index)) return std::nullopt;
    return Question{kind, step.name, index, MaskAnswer{step.value.at(index) != 0}};
  }
  case Kind::shape: return Question{kind, step.name, {}, ShapeAnswer{step.value.shape}};
  case Kind::count: return Question{kind, step.name, {}, CountAnswer{step.value.size()}};
  default: break;
  }
  return std::nullopt;
}

// Kinds that a step suits, each as often as it should be drawn.
std::vector<Kind> kinds_of(const Trace& trace, const Step& step,
                           std::initializer_list<std::pair<Kind, std::size_t>> weights) {
  std::vector<Kind> kinds;
  for (const auto& [kind, weight] : weights)
    if (suits(trace, step, kind)) kinds.insert(kinds.end(), weight, kind);
  return kinds;
}

} // namespace

std::string_view name_of(Kind kind) {
  static constexpr std::array<std::string_view, 13> names = {
      "cell",  "row_sum", "largest", "mask",    "shape",   "count", "sign",
      "zeros", "effect",  "mistake", "doubled", "unmoved", "unseen"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<Question> questions(const Trace& trace, std::uint64_t seed, std::size_t count, int precision) {
  std::vector<const Step*> subjects;
  for (const Step& step : trace.steps)
    if (is_new(trace, step)) subjects.push_back(&step);
  const auto parameters =
      static_cast<std::size_t>(std::ranges::count(subjects, Role::parameter, &Step::role));
  const bool has_all =
      parameters == static_cast<std::size_t>(std::ranges::count(trace.steps, Role::parameter, &Step::role));
  std::vector<std::pair<Kind, const Step*>> pool;
  std::vector<Kind> kinds;
  for (const auto& [kind, weight] : {std::pair{Kind::cell, 4},
                                     {Kind::largest, 2},
                                     {Kind::mask, 2},
                                     {Kind::shape, 2},
                                     {Kind::sign, 2},
                                     {Kind::row_sum, 1},
                                     {Kind::zeros, 1},
                                     {Kind::count, 1}}) {
    bool any = false;
    for (const Step* step : subjects) {
      if (!suits(trace, *step, kind)) continue;
      pool.emplace_back(kind, step);
      any = true;
    }
    if (any) kinds.insert(kinds.end(), static_cast<std::size_t>(weight), kind);
  }
  std::vector<Question> asked;
  if (pool.empty()) return asked;
  Draws draws(seed);
  std::set<std::tuple<Kind, std::string, Index>> known;
  const std::size_t patience = 50 * count + 200;
  for (std::size_t tries = 0; asked.size() < count && tries < patience + 50 * count; ++tries) {
    const Kind kind = kinds[draws.below(kinds.size())];
    std::vector<const Step*> steps;
    for (const auto& [pooled, step] : pool)
      if (pooled == kind) steps.push_back(step);
    std::optional<Question> question = ask(trace, *steps[draws.below(steps.size())], kind, draws, precision);
    const bool has_few = has_all && parameters > 1 && parameters <= max_side; // as many as one would add up
    if (question && kind == Kind::count && has_few && draws.below(3) == 0) {
      std::size_t all = 0;
      for (const Step& step : trace.steps)
        if (step.role == Role::parameter) all += step.value.size();
      question = Question{kind, "", {}, CountAnswer{all}};
    }
    if (!question) continue;
    const bool is_new = known.emplace(kind, question->tensor, question->index).second;
    if (is_new || tries >= patience) asked.push_back(std::move(*question));
  }
  return asked;
}

std::vector<Question> effect_questions(const Experiment& ablation) {
  constexpr double clearly = 1e-3; // a thousandth shows on the screen
  const std::size_t columns = ablation.columns.size();
  std::vector<Question> asked;
  const auto ask = [&](std::vector<std::string> parts, std::vector<double> lost) {
    std::vector<double> sorted = lost;
    std::ranges::sort(sorted, std::greater());
    if (sorted.size() < 2 || sorted[0] - sorted[1] < clearly) return;
    const auto most = static_cast<std::size_t>(std::ranges::max_element(lost) - lost.begin());
    const std::size_t count = parts.size();
    asked.push_back({Kind::effect, {}, {}, WordAnswer{std::move(parts), count, {most}}, std::move(lost)});
  };
  const auto worth = [&](std::size_t row, std::size_t column) {
    return ablation.values.data[row * columns + column];
  };
  std::vector<double> of_sublayers;
  for (std::size_t row = 0; row < ablation.rows.size(); ++row) of_sublayers.push_back(worth(row, 0));
  ask(ablation.rows, of_sublayers);
  for (std::size_t row = 0; row < ablation.rows.size(); ++row) {
    std::vector<std::string> heads;
    std::vector<double> of_heads;
    for (std::size_t column = 1; column < columns && !std::isnan(worth(row, column)); ++column)
      heads.push_back(ablation.rows[row] + ".head." + std::to_string(column - 1)),
          of_heads.push_back(worth(row, column));
    ask(heads, of_heads);
  }
  return asked;
}

std::vector<Question> step_questions(const Trace& trace, std::uint64_t seed, int precision) {
  std::vector<Question> asked;
  std::map<Kind, int> backwards; // how often each was asked there
  Draws draws(seed);
  for (const Step& step : trace.steps) {
    const bool is_back = step.role == Role::gradient;
    if (step.role == Role::parameter || !is_new(trace, step)) continue;
    std::vector<Kind> kinds =
        is_back ? kinds_of(trace, step, {{Kind::sign, 1}, {Kind::zeros, 1}, {Kind::row_sum, 1}})
                : kinds_of(trace, step,
                           {{Kind::cell, 4},
                            {Kind::largest, 3},
                            {Kind::mask, 1},
                            {Kind::row_sum, 1},
                            {Kind::shape, 2}});
    if (is_back) // the way back is long: what is asked of it is what it teaches, each twice
      std::erase_if(kinds, [&](Kind kind) { return backwards[kind] >= 2; });
    while (!kinds.empty()) {
      const Kind kind = kinds[draws.below(kinds.size())];
      if (auto question = ask(trace, step, kind, draws, precision)) {
        asked.push_back(std::move(*question));
        backwards[kind] += is_back;
        break;
      }
      std::erase(kinds, kind);
    }
  }
  return asked;
}

} // namespace tfx
