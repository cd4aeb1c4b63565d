#pragma once
// Why attention and not a fully connected, a convolutional or a recurrent network: what reaches the last word
// of a sequence from k words before it. Source: happy-llm, 2.1.1; Vaswani et al. 2017, section 4; Elman 1990
// for the recurrence; Bengio et al. 1994, "Learning long-term dependencies with gradient descent is
// difficult".

#include "trace/trace.hpp"

#include <vector>

namespace tfx {

/// h_t = tanh(x_t·W_x + h_(t−1)·W_h) from h_(−1) = 0    n×d, d×d, d×d → n×d
arma::mat recurrence(const arma::mat& X, const arma::mat& W_x, const arma::mat& W_h);

/// h_t = tanh(Σ x_(t−i)·W_i), what lies before the first being 0: a layer of a convolutional network; with as
/// many matrices as words its last row is a fully connected layer's.
arma::mat convolution(const arma::mat& X, const std::vector<arma::mat>& W);

/// How far words reach, and what that costs.
struct Reach {
  /// A row for a distance k, of random sequences and untrained weights: through how many steps, one behind
  /// the other, a word goes to the last one in a recurrent network; and by how much the last output moves,
  /// relative to the word, in a fully connected layer, two convolutions, a recurrent network and attention.
  /// Named "recurrent".
  Experiment moves;
  std::size_t words, convolution_reach;              ///< of the sequences; how far back the convolutions see
  double connected, convolved, recurrent, attention; ///< parameters, the last without W_O
};
Reach compare_with_recurrence();

} // namespace tfx
