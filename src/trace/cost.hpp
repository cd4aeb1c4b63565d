#pragma once
// What a run costs: multiply-adds (a MAC is 2 FLOPs) and elementary operations, counted from the recorded
// operations and shapes, and the time of each step's formula on matrices that are ready.

#include "trace/trace.hpp"

namespace tfx {

// What a run costs, counted from the recorded operations and shapes.
// A MAC is one multiply and one add of a product: 2 FLOPs. Every other operation counts its elementary steps
// per cell: add, subtract, multiply, divide, compare, e^x, ln, √, sin, cos, erf, a power are 1 each; softmax
// is 5 (max, subtract, exp, sum, divide), log-softmax 5 and a logarithm a row. A variance counts its own
// mean. Of a gradient each cell counts its formula, with the sum along a row once a cell. Masks, moves and
// look-ups cost 0.

Cost cost_of(const Trace& trace, const Step& step);

/// The lesson's own steps (Role::result), and the parameters that they read directly.
Cost lesson_cost(const Trace& trace);

/// Every step of the run.
Cost total_cost(const Trace& trace);

class Trace;

/// Times the computed steps of a run: of each the formula alone, without carrying its matrices to Armadillo
/// and back. Runs are warm, on memory that was touched before, and stand in rounds, so that what disturbs the
/// machine for some milliseconds does not meet all the runs of one step. Where the steps' runs together would
/// take longer than `spare_seconds`, the later and the longer ones of them stay without a time.
void time_steps(Trace& trace, double spare_seconds = 1);

} // namespace tfx
