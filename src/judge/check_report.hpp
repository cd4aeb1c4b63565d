#pragma once
// A learner's arrays against a lesson's run, in the lesson's order: the first wrong step is the one to mend,
// so that is the one that is diagnosed; of the later ones it is said whether they only follow from it.

#include "judge/diagnosis.hpp"
#include "judge/observations.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tfx {

struct HandedIn {
  std::string tensor; ///< the lesson's, that it is to be
  Array array;
  FromText from_text = FromText::no;
};

struct CheckedTensor {
  std::string name;
  Tensor yours; ///< in the lesson's shape where it can be, else as it was handed in
  DType dtype = DType::f64;
  Tolerance tolerance;
  Difference difference;
  bool follows = false; ///< it differs, but it is what the lesson makes of the earlier wrong ones
};

struct CheckReport {
  std::vector<CheckedTensor> tensors;     ///< in the lesson's order
  std::optional<std::size_t> first_wrong; ///< of `tensors`; none: all are equal
  Diagnosis diagnosis;                    ///< of that one
  std::vector<Observation> observations;  ///< of that one

  bool equal() const { return !first_wrong; }
};

/// Every `tensor` is one of `right`. Throws Error(bad_data) for float16 and bfloat16, which hold too few
/// digits.
CheckReport check_arrays(const Trace& right, const std::vector<HandedIn>& arrays);

} // namespace tfx
