#include "lessons/attention/recurrence.hpp"

#include "page/formulas.hpp"
#include "random/numpy_rng.hpp"

#include <cmath>
#include <functional>

namespace tfx {

namespace {

using arma::mat;
using Network = std::function<mat(const mat& X)>; // n×d → 1×d, the last output

// |Δ last output| / |Δ word| where the word so far before the last one is moved a little: for each distance.
arma::vec reach(const Network& network, const mat& X, const arma::uvec& distances,
                const arma::rowvec& direction) {
  constexpr double step = 1e-4;
  const mat before = network(X);
  arma::vec moves(distances.n_elem);
  for (arma::uword i = 0; i < distances.n_elem; ++i) {
    mat moved = X;
    moved.row(X.n_rows - 1 - distances(i)) += step * direction;
    moves(i) = arma::norm(network(moved) - before) / (step * arma::norm(direction));
  }
  return moves;
}

} // namespace

mat recurrence(const mat& X, const mat& W_x, const mat& W_h) {
  mat h(X.n_rows, W_h.n_cols);
  arma::rowvec before(W_h.n_rows, arma::fill::zeros);
  for (arma::uword t = 0; t < X.n_rows; ++t) {
    before = arma::tanh(X.row(t) * W_x + before * W_h);
    h.row(t) = before;
  }
  return h;
}

Experiment compare_with_recurrence() {
  constexpr std::size_t d = 16, n = 33, draws = 8;
  const arma::uvec distances{1, 2, 4, 8, 16, 32};
  NumpyRandom random(42);
  const auto weight = [&] { return mat(matrix(random.randn({d, d})) / std::sqrt(static_cast<double>(d))); };
  mat moves(distances.n_elem, 2, arma::fill::zeros);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const mat X = matrix(random.randn({n, d}));
    const arma::rowvec direction = matrix(random.randn({1, d}));
    const mat W_x = weight(), W_h = weight(), W_Q = weight(), W_K = weight(), W_V = weight();
    const Network recurrent = [&](const mat& x) { return mat(recurrence(x, W_x, W_h).tail_rows(1)); };
    const Network attention = [&](const mat& x) {
      return page::attention(page::project(x.tail_rows(1), W_Q), page::project(x, W_K), page::project(x, W_V))
          .output;
    };
    moves.col(0) += reach(recurrent, X, distances, direction) / draws;
    moves.col(1) += reach(attention, X, distances, direction) / draws;
  }
  Experiment experiment{"recurrent", {"steps_between", "by_recurrence", "by_attention"}, {}, {}};
  for (const arma::uword distance : distances) experiment.rows.push_back("k = " + std::to_string(distance));
  experiment.values = to_tensor(mat(arma::join_rows(arma::conv_to<arma::vec>::from(distances), moves)));
  return experiment;
}

} // namespace tfx
