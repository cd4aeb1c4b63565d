#pragma once
// The screen and the JSON of `tfx grade`.

#include "cli/grade/feedback.hpp"

#include <cstdint>
#include <optional>

namespace tfx {

struct GradedProgram {
  const Submission& submission;
  const std::vector<Case>& series;
  const Graded& graded;
  const ProgramLimits& limits;
  std::optional<std::uint32_t> seed; ///< that `series` was drawn with
};

/// A line a case; of the first wrong one where, which mistake, and what to do.
std::string grade_screen(const GradedProgram& program, const Style& style);

/// "crashed": as JSON and tables name it; empty for none.
const char* name_of(Graded::Trouble trouble);

/// The object of one program; of several a list of them, "programs".
std::string grade_json(const std::vector<GradedProgram>& programs, const Style& style);

} // namespace tfx
