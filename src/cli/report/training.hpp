#pragma once
// The training's part of a report: a short run of the task copy, made while the report is written.

#include "cli/report/lessons.hpp"

namespace tfx {

/// The section of the lesson train, after so many steps.
Html training_section(std::size_t steps, const Style& style);

} // namespace tfx
