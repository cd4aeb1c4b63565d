#include "trace/relations.hpp"

#include "trace/checks.hpp"
#include "steps/attention_steps.hpp"

namespace tfx {

namespace {

// Calls found(sum, first, second) for the first row that is the sum of two others, none of them zero.
template <class Found>
void find_sum(const arma::mat& M, Found found) {
  const auto zero = [&](arma::uword i) { return !arma::any(arma::abs(M.row(i)) > 0); };
  for (arma::uword i = 0; i < M.n_rows; ++i)
    for (arma::uword j = i + 1; j < M.n_rows; ++j)
      for (arma::uword k = 0; k < M.n_rows; ++k)
        if (k != i && k != j && !zero(i) && !zero(j) && arma::all(M.row(k) == M.row(i) + M.row(j)))
          return found(k, i, j);
}

} // namespace

void check_row_sum(Trace& t, const std::string& in, const std::string& out, const std::string& id) {
  constexpr std::size_t small = 16;
  if (t[in].rank() != 2 || t[in].shape[0] > small) return;
  find_sum(matrix(t[in]), [&](arma::uword sum, arma::uword first, arma::uword second) {
    t.facts["sum"] =
        row_label(t, in, sum) + " = " + row_label(t, in, first) + " + " + row_label(t, in, second);
    const arma::mat M = matrix(t[out]);
    t.check_at_most(id, relative_difference(M.row(sum), M.row(first) + M.row(second)), rounding);
  });
}

} // namespace tfx
