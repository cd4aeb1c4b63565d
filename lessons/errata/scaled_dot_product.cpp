// The errata of scaled-dot-product: three queries, four keys.

#include "lessons/errata/erratum.hpp"
#include "lessons/errata/page_data.hpp"
#include "random/numpy_rng.hpp"
#include "trace/checks.hpp"

namespace tfx::errata {

using arma::mat;
using arma::uword;

namespace {

// Can self-attention, whose queries and keys come from one input, make the page's own weights?
Findings special_case() {
  const LessonInput run = run_of("scaled-dot-product:1");
  const mat Q = given(run, "Q"), K = given(run, "K"), V = given(run, "V");
  const mat self = page::attention(Q, Q, Q).weights, general = page::attention(Q, K, V).weights;
  const auto shape = [](const mat& M) { return to_string({M.n_rows, M.n_cols}); };
  Findings f;
  f.measure("weights_shape", shape(self), shape(general));
  f.facts["wanted"] = to_string({Q.n_rows, K.n_rows});
  f.facts["self_difference"] =
      relative_difference(page::softmax(page::scale(page::scores(Q, Q), count(Q.n_cols))).weights, self);
  f.verdict(shape(self), shape(general), [&](const std::string& made) {
    return made == to_string({Q.n_rows, K.n_rows});
  });
  return f;
}

// How strongly weights answer to scores: the mean size of ∂w/∂s over the rows, ‖diag(w) − w·wᵀ‖.
double derivative(const mat& weights) {
  double sum = 0;
  for (uword i = 0; i < weights.n_rows; ++i) {
    const arma::rowvec w = weights.row(i);
    sum += arma::norm(arma::diagmat(w) - w.t() * w, "fro");
  }
  return sum / count(weights.n_rows);
}

Findings exploding() {
  NumpyRandom random(42);
  const auto derivatives = [&](std::size_t d_k) {
    const mat Q = matrix(random.randn({64, d_k})), K = matrix(random.randn({8, d_k}));
    const mat S = page::scores(Q, K);
    return std::pair(derivative(page::softmax(S).weights),
                     derivative(page::softmax(page::scale(S, count(d_k))).weights));
  };
  const auto narrow = derivatives(4), wide = derivatives(1024);
  Findings f;
  f.measure("derivative_4", narrow.first, narrow.second);
  f.measure("derivative_1024", wide.first, wide.second);
  f.verdict(wide.first / narrow.first, wide.second / narrow.second,
            [](double kept) { return kept > 0.5 && kept < 2; });
  return f;
}

} // namespace

std::vector<Erratum> of_scaled_dot_product() {
  return {{"special_case", "scaled-dot-product", special_case},
          {"exploding", "scaled-dot-product", exploding}};
}

} // namespace tfx::errata
