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
/// lies before it. Nothing where trying would take seconds.
std::vector<Instead> instead_of_steps(const Trace& right, const std::string& tensor, const Tensor& yours,
                                      const Tolerance& tolerance, const std::vector<std::string>& right_ones,
                                      std::size_t most = 2);

/// What a formula, found in one run of a lesson, says of another run.
enum class Fit {
  unknown,      ///< it cannot stand there
  gives_it,     ///< exactly what was handed in
  gives_another ///< something else
};

/// Of a run whose `tensor` is wrong. As above, none of `right_ones` changes.
Fit fit_of(const Instead& formula, const Trace& right, const std::string& tensor, const Tensor& yours,
           const Tolerance& tolerance, const std::vector<std::string>& right_ones);
/// Of a run in which all that was handed in is right.
Fit fit_of(const Instead& formula, const Trace& right, const std::vector<std::string>& right_ones,
           const Tolerance& tolerance);

} // namespace tfx
