#include "lessons/softmax/sweep.hpp"

#include "page/formulas.hpp"
#include "random/numpy_rng.hpp"

namespace tfx {

namespace {

double spread(const arma::mat& S) {
  return arma::stddev(arma::vectorise(S), 1);
}

double mean_largest(const arma::mat& weights) {
  return arma::mean(arma::vec(arma::max(weights, 1)));
}

} // namespace

Experiment scale_sweep() {
  NumpyRandom random(42);
  Experiment sweep{
      "sweep", {"std", "largest_raw", "entropy_raw", "largest_scaled", "entropy_scaled"}, {}, {}};
  arma::mat rows(0, sweep.columns.size());
  for (const std::size_t d_k : {4, 16, 64, 256, 1024}) {
    const arma::mat Q = matrix(random.randn({sweep_size, d_k})), K = matrix(random.randn({sweep_size, d_k}));
    const arma::mat S = page::scores(Q, K);
    const arma::mat raw = page::softmax(S).weights,
                    scaled = page::softmax(page::scale(S, static_cast<double>(d_k))).weights;
    rows = arma::join_cols(rows, arma::rowvec{spread(S), mean_largest(raw), arma::mean(page::entropy(raw)),
                                              mean_largest(scaled), arma::mean(page::entropy(scaled))});
    sweep.rows.push_back("d_k " + std::to_string(d_k));
  }
  sweep.values = to_tensor(rows);
  return sweep;
}

} // namespace tfx
