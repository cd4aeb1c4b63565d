#pragma once
// A count that differs from the lesson's by some of what is counted: a bias that was left out, a matrix that
// was counted twice. One model alone fits by accident; several cases together do not.

#include "trace/trace.hpp"

#include <string>
#include <vector>

namespace tfx {

struct CountedOtherwise {
  std::string parts;    ///< "b: W_Q, b: W_K", "norm × 1"
  std::string place;    ///< "decoder.layer"; empty: everywhere
  bool more = false;    ///< counted once more than in the lesson; else not at all
  std::size_t size = 0; ///< how many parts: the fewer, the likelier

  friend bool operator==(const CountedOtherwise&, const CountedOtherwise&) = default;
};

/// Every set of parts that makes `yours` of the lesson's count, those of fewer parts first. Nothing of a
/// tensor that is no count of a model.
std::vector<CountedOtherwise> counted_otherwise(const Trace& right, const std::string& tensor, double yours);

} // namespace tfx
