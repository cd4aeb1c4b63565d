#pragma once
// The options that a lesson could have been asked with instead: where one of them gives a learner's array
// exactly, nothing is wrong but what was asked.

#include "input/options.hpp"

#include <string>
#include <vector>

namespace tfx {

struct OtherOptions {
  std::string typed; ///< "--norm standard", what is typed beside the options that were given
  InputOptions options;
};

/// Each value that a row of the table says is worth trying, and is not asked for already; a norm also with
/// its other place, since a layer of PyTorch's has both.
std::vector<OtherOptions> other_options(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
