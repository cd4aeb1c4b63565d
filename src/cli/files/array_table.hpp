#pragma once
// A table whose rows are arrays: their dotted names can be half a line long.

#include "render/table.hpp"

namespace tfx {

/// As table_lines; but where the names would take columns away, each stands on a line above its numbers.
std::vector<std::string> array_table_lines(const Table& table, const Style& style);

} // namespace tfx
