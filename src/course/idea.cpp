#include "course/idea.hpp"

#include "core/error.hpp"
#include "core/number.hpp"
#include "course/taught.hpp"
#include "judge/wrong_run.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace tfx {

namespace {

using Kind = Question::Kind;

constexpr std::size_t max_run = 20'000; ///< numbers of a run that is computed for each mistake
constexpr std::size_t max_matrix = 144; ///< of a result that stands on the screen, right beside wrong
constexpr std::size_t least_parts = 3, most_parts = 4;
constexpr double exact = 1e-9, nearly = 1e-6; ///< relative; an ε that guards a division is in between

// The same shuffle on every machine.
template <class T>
void shuffle_with(std::vector<T>& items, std::mt19937_64& draws) {
  for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[draws() % left]);
}

struct Part {
  std::string name;
  double measured = 0;
};

// One of `wrong` choices is asked for; the right one comes to stand anywhere among them.
Question question_of(Kind kind, std::string tensor, Index index, Part right, std::vector<Part> wrong,
                     std::mt19937_64& draws) {
  shuffle_with(wrong, draws);
  wrong.resize(std::min(wrong.size(), most_parts - 1));
  const std::size_t at = draws() % (wrong.size() + 1);
  wrong.insert(wrong.begin() + static_cast<std::ptrdiff_t>(at), std::move(right));
  WordAnswer answer{{}, wrong.size(), {at}};
  std::vector<double> measured;
  for (Part& part : wrong) answer.labels.push_back(std::move(part.name)), measured.push_back(part.measured);
  return {kind, std::move(tensor), std::move(index), std::move(answer), std::move(measured)};
}

// --- mistakes
// -----------------------------------------------------------------------------------------------

struct Made {
  const Mistake* mistake = nullptr;
  WrongRun run;
  bool is_own = false; ///< the lesson's, or made at a step that is new in it: others are only offered
};

// What can go wrong in this run without stopping it; the lesson's own mistakes where it has any.
std::vector<Made> mistakes_of(const Lesson& lesson, const Trace& run) {
  std::vector<Made> all, own;
  for (const Mistake& mistake : mistakes()) {
    WrongRun wrong = run_wrong(run, {&mistake});
    if (wrong.made.empty() || wrong.stops) continue;
    const bool is_lessons = mistake.folder == lesson.folder,
               is_new_here = is_new(run, run.step_named(wrong.made.front()));
    (is_lessons ? own : all).push_back({&mistake, std::move(wrong), is_lessons || is_new_here});
  }
  if (own.size() >= least_parts) return own;
  std::ranges::move(all, std::back_inserter(own));
  return own;
}

const Tensor& result_of(const Made& made, const Trace& run) {
  return made.run.trace[run.main];
}

// Whether a digit shows it.
bool looks_different(double a, double b, int precision) {
  return format_number(a, precision) != format_number(b, precision);
}

bool looks_different(const Tensor& a, const Tensor& b, int precision) {
  if (a.shape != b.shape) return true;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (looks_different(a.data[i], b.data[i], precision)) return true;
  return false;
}

bool is_apart(double a, double b, int precision) {
  return std::abs(a - b) > 1e-3 * std::max({1.0, std::abs(a), std::abs(b)}) &&
         looks_different(a, b, precision);
}

// The first cell in which the tensor differs from each of the others.
std::optional<Index> telling_cell(const Tensor& one, const std::vector<const Tensor*>& others,
                                  int precision) {
  for (std::size_t i = 0; i < one.size(); ++i) {
    const auto differs = [&](const Tensor* other) {
      return is_apart(one.data[i], other->data[i], precision);
    };
    if (std::isfinite(one.data[i]) && std::ranges::all_of(others, differs)) return index_of(one.shape, i);
  }
  return std::nullopt;
}

std::vector<Question> which_mistake(const std::vector<Made>& made, const Trace& run, int precision,
                                    std::mt19937_64& draws) {
  const Tensor& right = run[run.main];
  std::vector<Question> asked;
  if (right.size() > max_matrix) return asked;
  const auto fits = [&](const Made& one) {
    const Tensor& wrong = result_of(one, run);
    return std::ranges::count(one.run.changed, run.main) && wrong.shape == right.shape &&
           std::ranges::all_of(wrong.data, [](double x) { return std::isfinite(x); }) &&
           looks_different(wrong, right, precision);
  };
  for (const Made& one : made) {
    if (!one.is_own || !fits(one)) continue;
    std::vector<Part> others;
    std::vector<const Tensor*> tensors{&right};
    for (const Made& other : made) {
      if (&other == &one || !fits(other) || others.size() == most_parts - 1) continue;
      tensors.push_back(&result_of(other, run));
      if (telling_cell(result_of(one, run), tensors, precision))
        others.push_back({other.mistake->id, 0});
      else
        tensors.pop_back();
    }
    if (others.size() + 1 < least_parts) continue;
    const Index cell = *telling_cell(result_of(one, run), tensors, precision);
    for (std::size_t i = 0; i < others.size(); ++i) others[i].measured = tensors[i + 1]->at(cell);
    asked.push_back(question_of(Kind::mistake, run.main, cell,
                                {one.mistake->id, result_of(one, run).at(cell)}, std::move(others), draws));
  }
  return asked;
}

// A part's number is how many cells of the run the mistake changes.
std::vector<Question> which_is_unseen(const std::vector<Made>& made, const Trace& run, int precision,
                                      std::mt19937_64& draws) {
  std::vector<Part> seen, unseen;
  for (const Made& one : made) {
    double cells = 0;
    bool is_shown = false;
    for (const std::string& name : one.run.changed) {
      const Tensor& wrong = one.run.trace[name];
      cells += static_cast<double>(wrong.size());
      is_shown = is_shown || looks_different(run[name], wrong, precision);
    }
    if (one.run.changed.empty() && one.is_own) unseen.push_back({one.mistake->id, cells});
    if (is_shown) seen.push_back({one.mistake->id, cells});
  }
  std::vector<Question> asked;
  if (seen.size() + 1 < least_parts) return asked;
  for (const Part& one : unseen) asked.push_back(question_of(Kind::unseen, {}, {}, one, seen, draws));
  return asked;
}

// --- a doubled tensor
// ---------------------------------------------------------------------------------------

// How many times as large `after` is as `before`, of all cells alike; NaN where it is no one number.
double factor_of(const Tensor& before, const Tensor& after, double within = exact) {
  double largest = 0, factor = std::nan("");
  for (std::size_t i = 0; i < before.size(); ++i)
    if (std::isfinite(before.data[i]) && std::abs(before.data[i]) > largest)
      largest = std::abs(before.data[i]), factor = after.data[i] / before.data[i];
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double a = before.data[i], b = after.data[i];
    if (std::isfinite(a) ? !(std::abs(b - factor * a) <= within * largest) : !(a == b)) return std::nan("");
  }
  return factor;
}

// Whether on the screen it could be taken for this many times as large, and is not.
bool is_nearly(const Tensor& before, const Tensor& after, double factor) {
  double largest = 0, off = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double wanted = factor * before.data[i];
    if (!std::isfinite(wanted)) continue;
    largest = std::max(largest, std::abs(wanted)), off = std::max(off, std::abs(after.data[i] - wanted));
  }
  return off > exact * largest && off < 1e-2 * largest;
}

// Matrices of the learner's numbers, what is projected from them, and gradients: no labels, no masks, no
// positions.
bool can_be_doubled(const Step& step) {
  if (step.role == Role::before) return false;
  if (step.role == Role::gradient) return step.value.rank() >= 2;
  const bool is_matrix = !step.name.empty() && std::isupper(static_cast<unsigned char>(step.name[0]));
  return (is_matrix && step.value.rank() >= 2) || step.name == "logits" || step.name == "memory";
}

Tensor twice(Tensor tensor) {
  for (double& x : tensor.data) x *= 2;
  return tensor;
}

// Of its input it reads the shape alone.
bool reads_shape(const Step& step) {
  return step.operation.kind->is_mask || step.operation.is(op::smoothed_target) ||
         step.operation.is(op::uniform);
}

std::vector<Reached> reached_by(const Rerun& after, const Trace& run, const std::string& doubled,
                                const std::string& part) {
  const std::set<std::string> way = way_to({part}, run);
  std::set<std::string> behind{doubled};
  std::vector<Reached> reached;
  for (const Step& step : run.steps) {
    const auto is_behind = [&](const std::string& input) { return behind.contains(input); };
    if (!way.contains(step.name) || reads_shape(step)) continue;
    if (std::ranges::none_of(step.operation.inputs, is_behind)) continue;
    behind.insert(step.name);
    reached.push_back({step.name, factor_of(step.value, after[step.name], nearly)});
  }
  return reached;
}

// Whether thought finds it: up to where the factor is lost, each step becomes so many times as large.
bool is_derived(const std::vector<Reached>& reached) {
  for (const Reached& step : reached) {
    if (step.stays()) return true;
    if (std::isnan(step.factor)) return false;
  }
  return true;
}

std::vector<Question> what_if_doubled(const Trace& run, int precision, std::mt19937_64& draws) {
  std::vector<Question> asked;
  for (std::size_t k = 0; k < run.steps.size(); ++k) {
    const Step& step = run.steps[k];
    if (!can_be_doubled(step)) continue;
    if (step.name == "logits" && run.has("target_log_probs")) continue; // they come of the same logits
    const Rerun after(run, {{step.name, twice}});
    std::vector<Part> parts;
    for (std::size_t i = k + 1; i < run.steps.size(); ++i) {
      const Step& later = run.steps[i];
      if (later.operation.is(op::given) || later.operation.kind->is_mask) continue;
      if (later.role == Role::gradient && step.role != Role::gradient) continue; // of another run, too
      const Tensor& moved = after[later.name];
      if (is_nearly(later.value, moved, 1) || is_nearly(later.value, moved, 2)) continue;
      if (later.value.size() > 1) parts.push_back({later.name, factor_of(later.value, moved)});
    }
    for (const double factor : {1.0, 2.0}) {
      std::vector<Part> right, wrong;
      for (const Part& part : parts) {
        if (std::abs(part.measured - factor) < exact) {
          if (is_new(run, run.step_named(part.name)) &&
              is_derived(reached_by(after, run, step.name, part.name)))
            right.push_back(part);
          continue;
        }
        Tensor wanted = run[part.name];
        for (double& x : wanted.data) x *= factor;
        if (looks_different(wanted, after[part.name], precision)) wrong.push_back(part);
      }
      if (right.empty() || wrong.size() + 1 < least_parts) continue;
      asked.push_back(question_of(factor == 1 ? Kind::unmoved : Kind::doubled, step.name, {},
                                  right[draws() % right.size()], std::move(wrong), draws));
    }
  }
  return asked;
}

} // namespace

bool Reached::stays() const {
  return std::abs(factor - 1) < nearly;
}

std::vector<Reached> steps_reached(const Trace& run, const std::string& doubled, const std::string& part) {
  return reached_by(Rerun(run, {{doubled, twice}}, part), run, doubled, part);
}

std::vector<Question> idea_questions(const Lesson& lesson, const Trace& run, std::uint64_t seed,
                                     std::size_t count, int precision) {
  std::size_t numbers = 0;
  for (const Step& step : run.steps) numbers += step.value.size();
  if (numbers > max_run || count == 0) return {};
  std::mt19937_64 draws(seed);
  std::vector<std::vector<Question>> kinds;
  {
    const std::vector<Made> made = mistakes_of(lesson, run);
    kinds = {which_mistake(made, run, precision, draws), what_if_doubled(run, precision, draws),
             which_is_unseen(made, run, precision, draws)};
  }
  // An order that no seed changes, and each seed begins behind the last one's: nothing comes again before all
  // was asked.
  const std::size_t of_each = (count + kinds.size() - 1) / kinds.size();
  for (auto& kind : kinds) {
    std::mt19937_64 order(kind.size());
    shuffle_with(kind, order);
    if (!kind.empty())
      std::rotate(kind.begin(), kind.begin() + static_cast<std::ptrdiff_t>(seed * of_each % kind.size()),
                  kind.end());
  }
  std::rotate(kinds.begin(), kinds.begin() + static_cast<std::ptrdiff_t>(seed % kinds.size()), kinds.end());
  std::vector<Question> asked;
  for (std::size_t round = 0; asked.size() < count; ++round) { // in turn, as long as there are any
    const std::size_t before = asked.size();
    for (auto& kind : kinds)
      if (round < kind.size() && asked.size() < count) asked.push_back(std::move(kind[round]));
    if (asked.size() == before) break;
  }
  return asked;
}

} // namespace tfx
