#pragma once
// A run with mistakes in it: each step where one can be made comes out wrong, and what follows is computed
// again from it.

#include "core/message.hpp"
#include "trace/mistake.hpp"

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

} // namespace tfx
