#pragma once
// Why attention and not a recurrent network: what reaches the last word of a sequence from k words before it.
// Source: happy-llm, 2.1.1; Vaswani et al. 2017, section 4; Elman 1990 for the recurrence; Bengio et al.
// 1994, "Learning long-term dependencies with gradient descent is difficult".

#include "trace/trace.hpp"

namespace tfx {

/// h_t = tanh(x_t·W_x + h_(t−1)·W_h) from h_(−1) = 0    n×d, d×d, d×d → n×d
arma::mat recurrence(const arma::mat& X, const arma::mat& W_x, const arma::mat& W_h);

/// A row for a distance k, of random sequences and untrained weights: through how many steps, one behind the
/// other, the word goes to the last one; and by how much the last output moves, relative to the word, in a
/// recurrent network and in attention. Named "recurrent".
Experiment compare_with_recurrence();

} // namespace tfx
