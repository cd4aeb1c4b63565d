#include "page/decoding.hpp"

namespace tfx::page {

rowvec cached_step(const rowvec& x, const Projections& p, Cache& cache) {
  cache.K = arma::join_cols(cache.K, x * p.W_K + p.b_K); // a row more, none is computed again
  cache.V = arma::join_cols(cache.V, x * p.W_V + p.b_V);
  const rowvec q = x * p.W_Q + p.b_Q;           // asks once and is not kept
  return attention(q, cache.K, cache.V).output; // no mask: later rows do not exist yet
}

} // namespace tfx::page
