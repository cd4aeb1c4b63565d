#pragma once
// How long a step's formula takes on matrices that are ready.

namespace tfx {

class Trace;

/// Times the computed steps of a run: of each the formula alone, without carrying its matrices to Armadillo
/// and back. Runs are warm, on memory that was touched before, and stand in rounds, so that what disturbs the
/// machine for some milliseconds does not meet all the runs of one step. Where the steps' runs together would
/// take longer than `spare_seconds`, the later and the longer ones of them stay without a time.
void time_steps(Trace& trace, double spare_seconds = 1);

} // namespace tfx
