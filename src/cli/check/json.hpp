#pragma once
// What `tfx check` found, as JSON for graders.

#include "cli/check/screen.hpp"

namespace tfx {

std::string check_json(const CheckedFile& checked);

} // namespace tfx
