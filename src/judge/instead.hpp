#pragma once
// Which formula in the place of a step gives a learner's array exactly? No guess at what was meant, as a
// mistake of the catalogue is: a formula and the steps where it stands.

#include "judge/comparison.hpp"
#include "trace/trace.hpp"

#include <string>
#include <vector>

namespace tfx {

struct Instead {
  std::vector<std::string> steps; ///< where it stands
  std::string formula, lessons;   ///< of the first of them
};

/// The nearest to the tensor first, at most `most`. None of `right_ones` changes: what is right clears what
/// lies before it. Nothing where the array says too little, or where trying would take seconds.
std::vector<Instead> instead_of_steps(const Trace& right, const std::string& tensor, const Tensor& yours,
                                      const Tolerance& tolerance, const std::vector<std::string>& right_ones,
                                      std::size_t most = 2);

} // namespace tfx
