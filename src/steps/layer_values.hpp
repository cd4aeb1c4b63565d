#pragma once
// A run's tensors as arguments of the page's formulas: the experiments compute with them again.

#include "input/lesson_input.hpp"
#include "page/layer_formulas.hpp"

namespace tfx {

/// W_Q … b_V of the trace; a bias that it does not have is zeros.
page::Projections projections_of(const Trace& trace);

/// Every parameter of an encoder layer.
page::Layer layer_of(const Trace& trace, const LessonInput& input);

/// The first matrix of "mask", or ones (n_q × n_k).
arma::mat first_mask(const Trace& trace, arma::uword n_q, arma::uword n_k);

/// How many cells differ by more than rounding. The matrices have the same size.
double count_different(const arma::mat& a, const arma::mat& b);

} // namespace tfx
