#pragma once
// What positions change, measured on the first sentence.

#include "trace/trace.hpp"

namespace tfx {

/// Words in another order: attention without positions only reorders its rows (check "equivariant"); with
/// positions its rows change (facts "order_without", "order_with").
void check_order(Trace& trace);

/// The dot product of two sinusoidal positions depends on their distance only: check "distance_only".
void check_distance(Trace& trace);

/// The next position is this one with each pair of columns turned by a fixed angle: check "rotation". Fact
/// "slowest_wave": after how many positions the slowest pair is round.
void check_rotation(Trace& trace);

/// Sines of the even columns' angles, then cosines of the odd ones': what learners write for
/// sinusoids(angles).
arma::mat sines_beside_cosines(const arma::mat& angles);

/// Sines and cosines side by side instead of in turn, and one position for a whole sentence: how many cells
/// would be wrong.
void state_wrong_positions(Trace& trace);

} // namespace tfx
