#pragma once
// A run with mistakes in it: each step where one can be made comes out wrong, and what follows is computed
// again from it. Beside the right run it shows which steps come out otherwise, in how many cells, and by how
// much.

#include "core/error.hpp"
#include "judge/comparison.hpp"
#include "lessons/catalogue.hpp"
#include "trace/mistake.hpp"

#include <vector>

namespace tfx {

struct WrongRun {
  Trace trace;                      ///< without checks, facts and experiments: those are the right run's
  std::vector<std::string> made;    ///< the steps where a mistake was made
  std::vector<std::string> changed; ///< the steps whose cells differ by more than rounding, those included
  std::optional<Message> stops; ///< the error that the learner gets instead of a result: shapes do not fit
  bool replaced = false;  ///< a mistake put its own value in the place of an earlier one's: not both are seen
  std::string stopped_at; ///< the step it comes at; the trace ends before it
};

/// `at`: only at the step of that name; empty: wherever it can be made. `until`: the last step to be
/// computed; empty: all of them. A recap that is given, as in the inputs of an exercise, is right. Throws
/// Error(no_memory) with the estimate where there is no room for the steps once more.
WrongRun run_wrong(const Trace& right, const std::vector<const Mistake*>& made, const std::string& at = {},
                   const std::string& until = {});

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
