#pragma once
// Which mistake of the catalogue gives a learner's array? Every one is tried: at all the steps where it can
// be made, at each of them alone, and, where no single one fits, together with another.
//
// A mistake fits where the wrong run's tensor is the learner's array within the tolerance, and not the right
// run's. Only one that fits alone is sure, and only if the numbers are enough (not one cell, not a few zeros)
// and all else that was handed in is what it gives too; otherwise it is "perhaps", with the reason; where
// nothing fits, none.

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

/// Why a "perhaps" is not sure.
enum class Doubt {
  none,
  few_numbers,   ///< one cell, or zeros and ones
  rounding,      ///< equal only in float32, or with the decimals that were written down
  several,       ///< each suspect gives all that was handed in
  other_tensors, ///< none gives the other tensors that were handed in
  other_cases    ///< none gives what was returned in other cases of the series
};

struct Diagnosis {
  std::vector<Suspect> suspects; ///< all that fit, singles or pairs; empty: not in the catalogue
  Confidence confidence = Confidence::none;
  Doubt doubt = Doubt::none;
  std::vector<std::string> fits, contradicts; ///< of other_tensors and other_cases: their names
  bool pairs_tried = true;                    ///< false where that would take too long
};

/// `yours` has the shape that it has; the lesson's tensor is `right[tensor]`. `right_ones` were handed in too
/// and are right: a mistake that changes one of them was not made.
Diagnosis diagnose(const Trace& right, const std::string& tensor, const Tensor& yours,
                   const Tolerance& tolerance, const std::vector<std::string>& right_ones = {});

/// "few_numbers", as JSON and the keys of words have it; "" of none.
const char* name_of(Doubt doubt);

/// The ids of what is said to be the cause: of a sure one, and of several that give all alike. Else nothing.
std::vector<std::string> named(const Diagnosis& diagnosis);

/// How much the cells in which two tensors differ say, in bits: a number with many digits 20, a small whole
/// number 2, 0 and 1 one. Each value counts fully once, and a bit where it comes again. What is no number
/// says nothing, as there are many ways to it, but where the lesson's has such cells too: what a mask blocks
/// is −∞.
double evidence(const Tensor& yours, const Tensor& right, const Tolerance& tolerance);

/// Below this many bits nothing is sure.
inline constexpr double enough_evidence = 12;

} // namespace tfx
