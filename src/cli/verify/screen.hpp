#pragma once
// The screens of `tfx verify`, and the same as JSON.

#include "cli/context.hpp"
#include "judge/kill_matrix.hpp"
#include "parity/verification.hpp"

namespace tfx {

std::string verify_screen(const std::vector<Verified>& lines, const Context& context);
std::string verify_json(const std::vector<Verified>& lines);

/// Rows are mistakes, columns properties by number, with the numbers' names below.
std::string mutants_screen(const KillMatrix& matrix, const Context& context);
std::string mutants_json(const KillMatrix& matrix);

} // namespace tfx
