#pragma once
// What `tfx grade` shows of programs: of each the verdict on every case, of the case that says most where it
// is wrong first, which mistake that may be and what can be seen, and what to do next.

#include "cli/grade/feedback.hpp"

#include <cstdint>

namespace tfx {

struct GradedProgram {
  const Submission& submission;
  const std::vector<Case>& series;
  const Graded& graded;
  const ProgramLimits& limits;
  std::optional<std::uint32_t> seed; ///< that `series` was drawn with
};

/// Of one program its members stand in the JSON document itself, of several in "programs". `typed` is what
/// was typed behind "tfx".
Report grade_report(const std::vector<GradedProgram>& programs, const std::string& typed, const Style& style);

} // namespace tfx
