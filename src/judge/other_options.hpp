#pragma once
// Whether an option of the lesson gives exactly what a learner handed in: then nothing is wrong but what the
// lesson was asked for.

#include "input/options.hpp"
#include "judge/check_report.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

/// "--norm standard", "--heads 4": beside the options that were given. Nothing where none fits, or where the
/// run is large.
std::optional<std::string> option_that_fits(const Lesson& lesson, const InputOptions& options,
                                            const Trace& right, const std::vector<HandedIn>& arrays,
                                            const std::optional<Tolerance>& tolerance);

/// Says it before what else is seen.
void tell_option(CheckReport& report, const Lesson& lesson, const InputOptions& options, const Trace& right,
                 const std::vector<HandedIn>& arrays, const std::optional<Tolerance>& tolerance);

} // namespace tfx
