#include "lessons/embed/experiments.hpp"

#include "core/tensor.hpp"
#include "steps/layer_steps.hpp"
#include "trace/checks.hpp"

namespace tfx {

namespace {

using arma::mat;

// Every word asks every word: the simplest block, as happy-llm's attention(x, x, x).
mat block(const mat& X) {
  return page::attention(X, X, X).output;
}

// What the words are before they get a position.
const char* plain_words(const Trace& t) {
  return t.has("embedded") ? "embedded" : "token_vectors";
}

} // namespace

void check_order(Trace& t) {
  const mat words = matrix(t[plain_words(t)]), positions = matrix(t["position_vectors"]);
  if (words.n_rows < 2) return;
  const mat turned = arma::reverse(words);
  const double without = relative_difference(block(turned), mat(arma::reverse(block(words))));
  t.check_at_most("equivariant", without, rounding);
  t.facts["order_without"] = without;
  t.facts["order_with"] =
      absolute_difference(block(turned + positions), mat(arma::reverse(block(words + positions))));
}

void check_distance(Trace& t) {
  const mat P = matrix(t["position_vectors"]);
  if (P.n_cols % 2 != 0 || P.n_rows < 2) return;
  const mat dots = P * P.t();
  double off = 0;
  for (arma::uword distance = 0; distance < P.n_rows; ++distance) {
    const arma::vec along = dots.diag(static_cast<arma::sword>(distance));
    off = std::max(off, along.max() - along.min());
  }
  // A sum of d/2 cosines of a difference of angles; an angle up to n carries n roundings of its own.
  t.check_at_most("distance_only", off,
                  rounding * static_cast<double>(P.n_cols) *
                      std::max(1.0, static_cast<double>(P.n_rows) / 100));
}

void check_rotation(Trace& t) {
  const mat P = matrix(t["position_vectors"]), A = matrix(t["angles"]);
  if (P.n_cols % 2 != 0 || P.n_rows < 2) return;
  double off = 0;
  for (arma::uword j = 0; j < P.n_cols; j += 2) {
    const double turn = A(1, j) - A(0, j), c = std::cos(turn), s = std::sin(turn);
    const mat now = P.rows(0, P.n_rows - 2), next = P.rows(1, P.n_rows - 1);
    off = std::max({off, arma::abs(now.col(j) * c + now.col(j + 1) * s - next.col(j)).max(),
                    arma::abs(now.col(j + 1) * c - now.col(j) * s - next.col(j + 1)).max()});
  }
  t.check_at_most("rotation", off, rounding * std::max(1.0, static_cast<double>(P.n_rows) / 100));
  t.facts["slowest_wave"] = std::round(2 * arma::datum::pi / (A(1, P.n_cols - 1) - A(0, P.n_cols - 1)));
}

mat sines_beside_cosines(const mat& angles) {
  const mat P = page::sinusoids(angles);
  std::vector<arma::uword> columns;
  for (const arma::uword first : {0, 1})
    for (arma::uword j = first; j < P.n_cols; j += 2) columns.push_back(j);
  return P.cols(arma::uvec(columns));
}

void state_wrong_positions(Trace& t) {
  const Tensor& words = t[plain_words(t)];
  const mat P = matrix(t["position_vectors"]);
  if (t.has("angles")) {
    t.facts["halves_wrong"] = count_different(sines_beside_cosines(matrix(t["angles"])), P);
    t.facts["position_cells"] = static_cast<double>(P.n_elem);
  }
  double wrong = 0;
  for (std::size_t b = 0; b < matrix_count(words); ++b) {
    const arma::rowvec same = P.row(std::min(static_cast<arma::uword>(b), P.n_rows - 1));
    wrong += count_different(arma::repmat(same, P.n_rows, 1), P);
  }
  t.facts["batch_axis_wrong"] = wrong;
  t.facts["cells"] = static_cast<double>(words.size());
}

} // namespace tfx
