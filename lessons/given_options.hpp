#pragma once
// All input options by their names, in one list: which of them were given, and whose they are.

#include "lessons/options.hpp"

#include <string>
#include <vector>

namespace tfx {

struct GivenOption {
  std::string name;                 ///< "--memory"
  std::vector<std::string> readers; ///< the lessons in whose computation it takes part: "cross"
};

/// The options that differ from what holds without them, in the order of --help. --pad 0 is no padding.
std::vector<GivenOption> given_options(const InputOptions& options);

} // namespace tfx
