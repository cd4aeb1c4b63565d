#pragma once
// What `tfx break` found, as JSON.

#include "cli/break/screen.hpp"

namespace tfx {

std::string break_list_json(const BrokenLesson& broken, const std::vector<BrokenRun>& all,
                            const Context& context);

std::string break_json(const BrokenLesson& broken, const BrokenRun& one,
                       const std::vector<PropertyVerdict>& judged, const Context& context);

} // namespace tfx
