#pragma once
// The lessons of the page (0 to 11, and 13) on the learner's input, as sections of a report.

#include "cli/context.hpp"
#include "render/html/html.hpp"

#include <map>
#include <string>

namespace tfx {

struct ReportOptions {
  std::string file;
  InputOptions input;
  std::optional<std::size_t> steps; ///< of the training
  bool no_time = false;
};

/// A section for each lesson, by its command. A lesson that the input does not fit runs on its own data and
/// says so. Throws what running a lesson throws where no lesson takes the input, a file is not there, or
/// memory is short.
std::map<std::string, Html> lesson_sections(const ReportOptions& options, Context& context);

} // namespace tfx
