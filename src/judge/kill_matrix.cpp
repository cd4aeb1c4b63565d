#include "judge/kill_matrix.hpp"

#include "core/blas.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/progress.hpp"
#include "input/options.hpp"
#include "judge/wrong_run.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tfx {

namespace {

// A lesson on an input, and what the properties say of the right computation.
struct Stand {
  const Lesson* lesson;
  std::string name;
  LessonInput input;
  Trace right;
};

// A mask for each sentence. The first sentence is padded, the others are not: a mask that falls on another
// axis hides something else.
void give_masks(LessonInput& input) {
  const Tensor& X = input.given["X"];
  const std::size_t batch = X.shape[0], n = X.shape[1];
  Tensor mask({batch, 1, n, n}, std::vector<double>(batch * n * n, 1));
  for (std::size_t i = 0; i < n; ++i) mask.data[i * n + n - 1] = 0;
  input.given.add_input("mask_given", "mask.npy", std::move(mask), {});
}

// The lesson as it is, then on inputs where more can go wrong. A mask is made, not read from the file that is
// named.
std::vector<InputOptions> variations(const Lesson& lesson) {
  std::vector<InputOptions> all(1);
  if (lesson.masks()) all.emplace_back().pad = 1;
  if (lesson.takes(Input::heads)) {
    // As many sentences as heads: the only way for a mask to fall on the wrong axis unnoticed.
    InputOptions& input = all.emplace_back();
    input.batch = 2, input.heads = 2, input.d_model = 4, input.mask = "mask.npy";
    all.emplace_back().dropout = 0.25;
  }
  if (lesson.takes(Input::todays_block)) all.emplace_back().window = 2, all.emplace_back().heads = 4;
  if (lesson.takes(Input::norms)) all.emplace_back().norm = Norm::layer;
  if (lesson.takes(Input::labels)) all.emplace_back().smoothing = 0.1;
  if (lesson.takes(Input::optimizer))
    for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adamw})
      all.emplace_back().optimizer = optimizer;
  return all;
}

std::optional<Stand> stand_on(const Lesson& lesson, const InputOptions& options) {
  try {
    InputOptions without_mask = options;
    without_mask.mask.reset();
    LessonInput input = resolve_input(without_mask, lesson);
    if (options.mask) give_masks(input);
    Trace right = lesson.run(input);
    return Stand{&lesson, lesson.command + typed_again(input_options(), options), std::move(input),
                 std::move(right)};
  } catch (const Error&) {
    return std::nullopt; // options that this lesson does not take
  }
}

std::vector<Stand> all_stands() {
  std::vector<Stand> stands;
  for (const Lesson& lesson : lessons()) {
    if (!lesson.run) continue;
    for (const InputOptions& options : variations(lesson))
      if (auto stand = stand_on(lesson, options)) stands.push_back(std::move(*stand));
  }
  return stands;
}

bool changes_something(const Mistake& mistake, const Stand& stand) {
  const WrongRun run = run_wrong(stand.right, {&mistake});
  return run.stops || !run.changed.empty();
}

// Those of its own lesson; else the first where it changes anything. Where it changes nothing anywhere, those
// where it is made: properties may bring numbers on which it shows.
std::vector<const Stand*> stands_of(const Mistake& mistake, const std::vector<Stand>& stands) {
  std::vector<const Stand*> own, other, silent;
  for (const Stand& stand : stands) {
    const bool at_home = stand.lesson->folder == mistake.folder;
    if (changes_something(mistake, stand))
      (at_home ? own : other).push_back(&stand);
    else if (at_home && !run_wrong(stand.right, {&mistake}).made.empty())
      silent.push_back(&stand);
  }
  if (!own.empty()) return own;
  if (!silent.empty()) return silent;
  if (other.size() > 1) other.resize(1);
  return other;
}

// Which properties do not hold of a computation.
std::vector<bool> missed(const Stand& stand, const std::vector<const Mistake*>& made,
                         const std::vector<std::string>& properties) {
  std::vector<bool> missing(properties.size(), false);
  for (const PropertyVerdict& verdict :
       verdicts(*stand.lesson, stand.input, computation_of(*stand.lesson, made)))
    if (!verdict.measured.holds)
      missing[static_cast<std::size_t>(std::ranges::find(properties, verdict.property) -
                                       properties.begin())] = true;
  return missing;
}

} // namespace

bool KillRow::survives() const {
  return std::ranges::none_of(killed, [](bool notices) { return notices; });
}

std::size_t KillMatrix::killed() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows, [](const KillRow& row) { return !row.survives(); }));
}

KillMatrix kill_matrix() {
  reserve_blas_memory();
  keep_freed_memory();
  KillMatrix matrix;
  for (const Property& property : properties()) matrix.properties.push_back(property.id);
  const std::vector<Stand> stands = all_stands();
  std::map<const Stand*, std::vector<bool>> accused; // properties that do not hold of the right run
  const auto accuses = [&](const Stand& stand) -> const std::vector<bool>& {
    const auto [entry, first] = accused.try_emplace(&stand);
    if (!first) return entry->second;
    entry->second = missed(stand, {}, matrix.properties);
    for (std::size_t i = 0; i < matrix.properties.size(); ++i)
      if (entry->second[i]) matrix.false_alarms.push_back(stand.name + ": " + matrix.properties[i]);
    return entry->second;
  };
  for (const Mistake& mistake : mistakes()) {
    tell_progress(mistake.id, {matrix.rows.size() + 1, mistakes().size()});
    KillRow row{mistake.id, std::vector<bool>(matrix.properties.size(), false), {}};
    for (const Stand* stand : stands_of(mistake, stands)) {
      if (!row.survives()) break; // another input would only show the same again
      row.runs.push_back(stand->name);
      const std::vector<bool>& wrongly = accuses(*stand);
      const std::vector<bool> missing = missed(*stand, {&mistake}, matrix.properties);
      for (std::size_t i = 0; i < missing.size(); ++i) row.killed[i] = missing[i] && !wrongly[i];
    }
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

} // namespace tfx
