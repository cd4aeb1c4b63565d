#include "page/layer_formulas.hpp"

namespace tfx::page {

// The largest logit is taken out first, as in softmax: e^x stays finite, and nothing else changes.
mat log_softmax(const mat& logits) {
  const vec row_max = arma::max(logits, 1);
  const mat shifted = logits.each_col() - row_max;
  return shifted.each_col() - arma::log(arma::sum(arma::exp(shifted), 1));
}

} // namespace tfx::page
