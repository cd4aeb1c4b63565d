#pragma once
// What `tfx break` shows: the mistakes that can be made in a lesson, or one of them beside the right run.

#include "judge/property.hpp"
#include "judge/wrong_run.hpp"
#include "render/report.hpp"

#include <memory>

namespace tfx {

struct BrokenLesson {
  const Lesson& lesson;
  std::string options; ///< the input options as the learner gave them
  std::shared_ptr<const Trace> right;
  int precision; ///< digits of a page
};

/// Which mistakes a page lists: the lesson's own, where it has any, or those of other lessons too.
enum class BreakList { own, all };

Report break_list(const BrokenLesson& broken, const std::vector<BrokenRun>& all, BreakList which);

Report break_report(const BrokenLesson& broken, const std::shared_ptr<const BrokenRun>& one,
                    const std::vector<PropertyVerdict>& judged);

} // namespace tfx
