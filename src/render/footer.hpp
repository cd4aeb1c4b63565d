#pragma once
// The head and the foot of a lesson's screen: its title; one cell spelled out, what to look at, the checks,
// the cost, the data, where to go next.

#include "render/paper.hpp"
#include "render/terminal.hpp"

namespace tfx {

void write_title(Paper& paper, const Screen& screen);

void write_footer(Paper& paper, const Screen& screen);

/// The cell of the lesson's tensor that its screen spells out; none where the run has no such tensor.
std::optional<Index> spotlight_of(const Trace& trace);

/// Parts of it, for screens that are no lesson's: what to look at; the checks; "parameters …, MAC, FLOP".
void write_looks(Paper& paper);
void write_checks(Paper& paper);
std::string amount(const Paper& paper, const Cost& cost);

} // namespace tfx
