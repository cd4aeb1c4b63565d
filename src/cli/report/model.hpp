#pragma once
// The trained model's part of a report: what it reads and writes, the attention of every layer and head, each
// weight explained; how sure it was of every token; what it holds.

#include "cli/report/lessons.hpp"

namespace tfx {

/// Sections of the lessons model, decode and params, on the learner's text where a shipped model can read
/// it.
std::map<std::string, Html> model_sections(const ReportOptions& options, Context& context);

} // namespace tfx
