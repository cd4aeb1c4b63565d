#pragma once
// Which mistake of the catalogue gives a learner's array? Every one is tried: at all the steps where it can
// be made, at each of them alone, and, where no single one fits, together with another.
//
// A mistake fits where the wrong run's tensor is the learner's array within the tolerance, and not the right
// run's. Mistakes that give the same array are named together. Where too few numbers speak for it (one cell,
// a few zeros), or only rounding keeps the two apart, the answer is "perhaps"; where nothing fits, none.

#include "judge/comparison.hpp"
#include "judge/wrong_run.hpp"

#include <string>
#include <vector>

namespace tfx {

/// One way to come by the array: a mistake, or two at once.
struct Suspect {
  std::vector<const Mistake*> made;
  std::string at; ///< only at this step; empty: wherever it can be made

  /// "softmax.no_scale", "softmax.wrong_axis+softmax.no_scale".
  std::string id() const;
};

enum class Confidence { none, perhaps, sure };

struct Diagnosis {
  std::vector<Suspect> suspects; ///< all that fit, singles or pairs; empty: not in the catalogue
  Confidence confidence = Confidence::none;
  bool pairs_tried = true; ///< false where that would take too long
};

/// `yours` has the shape that it has; the lesson's tensor is `right[tensor]`. `right_ones` were handed in too
/// and are right: a mistake that changes one of them was not made.
Diagnosis diagnose(const Trace& right, const std::string& tensor, const Tensor& yours,
                   const Tolerance& tolerance, const std::vector<std::string>& right_ones = {});

/// How much the cells in which two tensors differ say, in bits: a number with many digits 20, a small whole
/// number 2, 0, 1 and what is no number 1. Each value counts fully once, and a bit where it comes again.
double evidence(const Tensor& yours, const Tensor& right, const Tolerance& tolerance);

/// Below this many bits nothing is sure.
inline constexpr double enough_evidence = 12;

} // namespace tfx
