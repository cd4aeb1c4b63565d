#pragma once
// The foot of a lesson's screen: one cell spelled out, what to look at, the checks, the cost, the data, where
// to go next.

#include "render/paper.hpp"
#include "render/terminal.hpp"

namespace tfx {

void write_footer(Paper& paper, const Screen& screen);

} // namespace tfx
