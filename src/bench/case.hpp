#pragma once
// A piece of work ready to be run again and again on the same input, with what it should give.

#include "bench/work.hpp"

#include <armadillo>

#include <functional>
#include <string>

namespace tfx::bench {

/// How far a result is from the same result computed in another way, relative to the largest number of the
/// latter.
struct Agreement {
  std::string with; ///< "page", "double", "one_pass": what it was compared with, key of a sentence
  double difference = 0;
  double bound = 0;

  bool holds() const { return difference <= bound; } ///< not where the difference is NaN
};

struct Case {
  Work work;
  std::function<arma::fmat()> run;    ///< a column a token; of training its loss, of decoding the ids
  std::function<Agreement()> compare; ///< runs it once more
};

/// Two computations in float of the same numbers differ by rounding: products of some thousand terms by a few
/// 1e-6 of the largest number. Whatever is wrong is far above this.
inline constexpr double rounding_bound = 1e-4;

/// max |a − b| / max |b|; NaN where one of them is.
double relative_difference(const arma::mat& a, const arma::mat& b);

} // namespace tfx::bench
