#pragma once
// What a run costs, counted from the recorded operations and shapes.
// A MAC is one multiply and one add of a product: 2 FLOPs. Every other operation counts its elementary steps
// per cell: add, subtract, multiply, divide, compare, e^x, ln, √, sin, cos, erf, a power are 1 each; softmax
// is 5 (max, subtract, exp, sum, divide), log-softmax 5 and a logarithm a row. A variance counts its own
// mean. Of a gradient each cell counts its formula, with the sum along a row once a cell. Masks, moves and
// look-ups cost 0.

#include "trace/trace.hpp"

namespace tfx {

Cost cost_of(const Trace& trace, const Step& step);

/// The lesson's own steps (Role::result), and the parameters that they read directly.
Cost lesson_cost(const Trace& trace);

/// Every step of the run.
Cost total_cost(const Trace& trace);

} // namespace tfx
