#pragma once
// `tfx params --json`: every count as an exact integer, and the tree of modules; of --int8 the row in 8 bits.

#include "architecture/remarks.hpp"
#include "cli/params/int8.hpp"

namespace tfx {

std::string params_json(const std::vector<params::Counted>& models, params::Precision precision,
                        const std::optional<HeldMatrix>& held, const std::string& matrix);

} // namespace tfx
