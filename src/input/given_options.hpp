#pragma once
// All input options by their names, in one list: which of them were given, and by which lessons they are
// read.

#include "input/options.hpp"

#include <string>
#include <vector>

namespace tfx {

struct GivenOption {
  std::string name; ///< "--memory"
  bool (*read_by)(
      const InputRules&); ///< whether it takes part in the computation of a lesson with those rules
};

/// The options that differ from what holds without them, in the order of --help. --pad 0 is no padding.
std::vector<GivenOption> given_options(const InputOptions& options);

/// Those that a lesson with these rules does not read.
std::vector<GivenOption> unread_options(const InputOptions& options, const InputRules& rules);

} // namespace tfx
