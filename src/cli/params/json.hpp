#pragma once
// `tfx params --json`: every count as an exact integer, and the tree of modules.

#include "architecture/remarks.hpp"

namespace tfx {

std::string params_json(const std::vector<params::Counted>& models, params::Precision precision);

} // namespace tfx
