#pragma once
// The screens and the JSON of `tfx break`: the mistakes that can be made in a lesson, and one of them beside
// the right run.

#include "cli/context.hpp"
#include "judge/property.hpp"
#include "judge/wrong_run.hpp"

namespace tfx {

struct BrokenLesson {
  const Lesson& lesson;
  std::string options; ///< the input options as the learner gave them
  const Trace& right;
};

/// Which mistakes are listed: the lesson's own, where it has any, or those of other lessons too.
enum class BreakList { own, all };

std::string break_list_screen(const BrokenLesson& broken, const std::vector<BrokenRun>& all, BreakList list,
                              const Context& context);

std::string break_screen(const BrokenLesson& broken, const BrokenRun& one,
                         const std::vector<PropertyVerdict>& judged, const Context& context);

std::string break_list_json(const BrokenLesson& broken, const std::vector<BrokenRun>& all,
                            const Context& context);

std::string break_json(const BrokenLesson& broken, const BrokenRun& one,
                       const std::vector<PropertyVerdict>& judged, const Context& context);

} // namespace tfx
