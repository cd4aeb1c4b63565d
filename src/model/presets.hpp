#pragma once
// Shapes with a name.

#include "model/config.hpp"

#include <string>
#include <vector>

namespace tfx {

/// annotated: make_model's defaults, N=6, d_model=512, d_ff=2048, h=8; copy-task: the notebook's first
/// example, N=2; tiny: small enough to read every number. The vocabulary of all is the copy task's, 11.
std::vector<std::string> preset_names();

/// Throws Error(usage) with a near miss where there is none of that name.
Config preset(const std::string& name);

} // namespace tfx
