#pragma once
// Grading again at every save.

#include "cli/stop_signal.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tfx {

/// Says what `again` gives, now and whenever one of the files has changed and is whole again, until a signal
/// comes. At a terminal the new screen stands where the old one stood; elsewhere below it, and only where it
/// is another one.
void watch(const std::vector<std::string>& files, const std::function<std::string()>& again,
           const StopSignals& signals);

} // namespace tfx
