#include "page/layer_formulas.hpp"

namespace tfx::page {

// The gain weighs w's numbers; taking the mean off w does what the norm does to x; the divisor is a number.
rowvec direction(const rowvec& w, const rowvec& gain, double divisor) {
  const rowvec gained = gain % w;
  return (gained - arma::mean(gained)) / divisor;
}

vec logit_terms(const mat& parts, const rowvec& direction) {
  return parts * direction.t();
}

} // namespace tfx::page
