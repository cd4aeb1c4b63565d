#pragma once
// A lesson broken on purpose: which steps come out otherwise, in how many cells, by how much.

#include "judge/comparison.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/catalogue.hpp"

#include <vector>

namespace tfx {

struct ChangedStep {
  std::string name;
  bool made = false; ///< the mistake was made here; else it only follows
  Difference difference;
};

struct BrokenRun {
  const Mistake* mistake = nullptr;
  WrongRun run;
  std::vector<ChangedStep> changed; ///< in order; not those that rounding alone moved

  /// The step of that name among the changed ones, or nullptr.
  const ChangedStep* find(const std::string& name) const;
};

BrokenRun broken_run(const Trace& right, const Mistake& mistake);

/// Whether the mistake can be made in that run at all.
bool is_broken(const BrokenRun& broken);

/// One for each mistake that can be made in this run: the lesson's own first, then those of earlier lessons.
/// Their tensors keep shapes and no numbers: those of all together would take a hundred times the lesson's
/// memory.
std::vector<BrokenRun> broken_runs(const Trace& right, const Lesson& lesson);

} // namespace tfx
