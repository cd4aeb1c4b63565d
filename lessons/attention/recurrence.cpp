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

mat convolution(const mat& X, const std::vector<mat>& W) {
  mat h(X.n_rows, W.front().n_cols, arma::fill::zeros);
  for (arma::uword back = 0; back < W.size() && back < X.n_rows; ++back)
    h.tail_rows(X.n_rows - back) += X.head_rows(X.n_rows - back) * W[back];
  return arma::tanh(h);
}

Reach compare_with_recurrence() {
  constexpr std::size_t d = 16, n = 33, draws = 8;
  const arma::uvec distances{1, 2, 4, 8, 16, 32};
  constexpr std::size_t layers = 2, kernel = 3;
  NumpyRandom random(42), others(43); // the recurrent network's draws do not depend on the others'
  const auto drawn = [](NumpyRandom& from, std::size_t inputs) {
    return mat(matrix(from.randn({d, d})) / std::sqrt(static_cast<double>(inputs)));
  };
  const auto weight = [&] { return drawn(random, d); };
  mat moves(distances.n_elem, 4, arma::fill::zeros);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const mat X = matrix(random.randn({n, d}));
    const arma::rowvec direction = matrix(random.randn({1, d}));
    const mat W_x = weight(), W_h = weight(), W_Q = weight(), W_K = weight(), W_V = weight();
    const Network recurrent = [&](const mat& x) { return mat(recurrence(x, W_x, W_h).tail_rows(1)); };
    const Network attention = [&](const mat& x) {
      return page::attention(page::project(x.tail_rows(1), W_Q), page::project(x, W_K), page::project(x, W_V))
          .output;
    };
    std::vector<mat> dense;
    for (std::size_t place = 0; place < n; ++place) dense.push_back(drawn(others, n * d));
    std::vector<std::vector<mat>> kernels(layers);
    for (auto& one : kernels)
      for (std::size_t back = 0; back < kernel; ++back) one.push_back(drawn(others, kernel * d));
    // Both see the last word's neighbours by their distance: place 0 is the last word's own.
    const Network connected = [&](const mat& x) { return mat(convolution(x, dense).tail_rows(1)); };
    const Network convolved = [&](const mat& x) {
      mat h = x;
      for (const auto& one : kernels) h = convolution(h, one);
      return mat(h.tail_rows(1));
    };
    moves.col(0) += reach(connected, X, distances, direction) / draws;
    moves.col(1) += reach(convolved, X, distances, direction) / draws;
    moves.col(2) += reach(recurrent, X, distances, direction) / draws;
    moves.col(3) += reach(attention, X, distances, direction) / draws;
  }
  Experiment experiment{"recurrent",
                        {"steps_between", "by_connection", "by_convolution", "by_recurrence", "by_attention"},
                        {},
                        {}};
  for (const arma::uword distance : distances) experiment.rows.push_back("k = " + std::to_string(distance));
  experiment.values = to_tensor(mat(arma::join_rows(arma::conv_to<arma::vec>::from(distances), moves)));
  const auto matrices = [](std::size_t count) { return static_cast<double>(count * d * d); };
  return {experiment,  n,          layers * (kernel - 1), matrices(n), matrices(layers * kernel),
          matrices(2), matrices(3)};
}

} // namespace tfx
