// Other formulas of a norm.

#include "core/broadcast.hpp"
#include "judge/variant.hpp"

#include <cmath>

namespace tfx {

namespace {

using arma::mat;
using arma::vec;

// The tensor that the norm with this number is of.
std::string input_of_norm(const Trace& now, const std::string& number) {
  const Step* mean = now.find("mean_" + number);
  return mean && !mean->operation.inputs.empty() ? mean->operation.inputs[0] : "";
}

} // namespace

std::vector<Alternative> of_norm(const Trace& now, const Step& step) {
  if (!step.name.starts_with("normalized_")) return {};
  const std::string input = input_of_norm(now, step.name.substr(11));
  if (input.empty()) return {};
  const Tensor& X = now[input];
  std::vector<Alternative> found{{input, X}};
  if (const Step* centred = now.find("centred_" + step.name.substr(11)))
    found.push_back({centred->name, centred->value});
  const auto by = [&](const std::string& formula, const std::function<mat(const mat&, const vec&)>& of) {
    found.push_back(
        {formula, for_each_matrix(X, [&](const mat& M) { return of(M, vec(arma::mean(M, 1))); })});
  };
  const auto along = [](const mat& M, const vec& divisor) { return mat(M.each_col() / divisor); };
  for (const auto& [text, eps] : {std::pair("", 0.0),
                                  {" + 1e-3", 1e-3},
                                  {" + 1e-5", 1e-5},
                                  {" + 1e-6", 1e-6},
                                  {" + 1e-8", 1e-8},
                                  {" + 1e-9", 1e-9},
                                  {" + 1e-12", 1e-12},
                                  {" + 1e-2", 1e-2}}) {
    by(input + "/√(rowmean(" + input + "²)" + text + ")",
       [&, e = eps](const mat& M, const vec&) { return along(M, arma::sqrt(arma::mean(M % M, 1) + e)); });
    for (const auto& [ddof, kind] : {std::pair("ddof=1", arma::uword{0}), {"ddof=0", arma::uword{1}}}) {
      const std::string spread = input + ", " + ddof + ")";
      by("centred/(std(" + spread + text + ")", [&, e = eps, k = kind](const mat& M, const vec& mean) {
        return along(M.each_col() - mean, vec(arma::stddev(M, k, 1) + e));
      });
      by("centred/√(var(" + spread + text + ")", [&, e = eps, k = kind](const mat& M, const vec& mean) {
        return along(M.each_col() - mean, vec(arma::sqrt(arma::var(M, k, 1) + e)));
      });
      by("centred/(var(" + spread + text + ")", [&, e = eps, k = kind](const mat& M, const vec& mean) {
        return along(M.each_col() - mean, vec(arma::var(M, k, 1) + e));
      });
    }
  }
  return found;
}

} // namespace tfx
