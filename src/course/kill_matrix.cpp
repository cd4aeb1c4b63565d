#include "course/kill_matrix.hpp"

#include "core/blas.hpp"
#include "core/error.hpp"
#include "lessons/options.hpp"
#include "lessons/practice.hpp"
#include "lessons/wrong_run.hpp"

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

struct Variation {
  const char* options; ///< as a learner types them
  InputOptions input;
};

std::vector<Variation> variations(const Lesson& lesson) {
  std::vector<Variation> all(1, {"", {}});
  const auto add = [&](const char* options) -> InputOptions& {
    all.push_back({options, {}});
    return all.back().input;
  };
  if (lesson.masks) {
    add(" --causal").causal = true;
    add(" --pad 1").pad = 1;
  }
  if (lesson.stage == Stage::layer) add(" --dropout 0.25").dropout = 0.25;
  return all;
}

std::optional<Stand> stand_on(const Lesson& lesson, const Variation& variation) {
  try {
    LessonInput input = find_practice(lesson.command) ? practice_input(variation.input, lesson)
                                                      : resolve_input(variation.input, lesson);
    Trace right = lesson.run(input);
    return Stand{&lesson, lesson.command + variation.options, std::move(input), std::move(right)};
  } catch (const Error&) {
    return std::nullopt; // options that this lesson does not take
  }
}

std::vector<Stand> all_stands() {
  std::vector<Stand> stands;
  for (const std::vector<Lesson>* list : {&lessons(), &practices()})
    for (const Lesson& lesson : *list)
      for (const Variation& variation : variations(lesson))
        if (auto stand = stand_on(lesson, variation)) stands.push_back(std::move(*stand));
  return stands;
}

bool can_be_made(const Mistake& mistake, const Stand& stand) {
  const WrongRun run = run_wrong(stand.right, {&mistake});
  return !run.made.empty() || run.stops;
}

// Those of its own lesson; else the first.
std::vector<const Stand*> stands_of(const Mistake& mistake, const std::vector<Stand>& stands) {
  std::vector<const Stand*> own;
  const Stand* other = nullptr;
  for (const Stand& stand : stands) {
    const bool at_home = stand.lesson->folder == mistake.folder;
    if ((!at_home && other) || !can_be_made(mistake, stand)) continue;
    if (at_home)
      own.push_back(&stand);
    else
      other = &stand;
  }
  if (own.empty() && other) own.push_back(other);
  return own;
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
  KillMatrix matrix;
  std::map<std::string, std::size_t> column;
  for (const Property& property : properties()) {
    column[property.id] = matrix.properties.size();
    matrix.properties.push_back(property.id);
  }
  const std::vector<Stand> stands = all_stands();
  std::map<const Stand*, std::vector<bool>> accuses; // properties that do not hold of the right run
  for (const Stand& stand : stands) {
    std::vector<bool>& wrong = accuses[&stand];
    wrong.assign(matrix.properties.size(), false);
    for (const Verdict& verdict : verdicts(*stand.lesson, stand.input, computation_of(*stand.lesson, {}))) {
      if (verdict.measured.holds) continue;
      wrong[column[verdict.property]] = true;
      matrix.false_alarms.push_back(stand.name + ": " + verdict.property);
    }
  }
  for (const Mistake& mistake : mistakes()) {
    KillRow row{mistake.id, std::vector<bool>(matrix.properties.size(), false), {}};
    for (const Stand* stand : stands_of(mistake, stands)) {
      row.runs.push_back(stand->name);
      for (const Verdict& verdict :
           verdicts(*stand->lesson, stand->input, computation_of(*stand->lesson, {&mistake}))) {
        const std::size_t i = column[verdict.property];
        if (!verdict.measured.holds && !accuses[stand][i]) row.killed[i] = true;
      }
    }
    matrix.rows.push_back(std::move(row));
  }
  return matrix;
}

} // namespace tfx
