#pragma once
// The same for graders: design/CLI's check --json.

#include "cli/check_screen.hpp"

namespace tfx {

std::string check_json(const CheckedFile& checked);

} // namespace tfx
