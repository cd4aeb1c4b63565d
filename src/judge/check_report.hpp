#pragma once
// A learner's arrays against a lesson's run, in the lesson's order: the first wrong step is the one to mend,
// so that is the one that is diagnosed; of the later ones it is said whether they only follow from it. Where
// an option of the lesson gives exactly what was handed in, nothing is wrong but what the lesson was asked
// for.

#include "input/options.hpp"
#include "judge/diagnosis.hpp"
#include "judge/observations.hpp"
#include "lessons/catalogue.hpp"

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
  bool excused = false; ///< it differs, and what is made of it is right: another convention
  std::vector<Observation> convention; ///< in what it differs then; empty: in something else
};

struct CheckReport {
  std::vector<CheckedTensor> tensors;     ///< in the lesson's order
  std::optional<std::size_t> first_wrong; ///< of `tensors`; none: all are equal or excused
  Diagnosis diagnosis;                    ///< of that one
  std::vector<Observation> observations;  ///< of that one
  std::vector<const Mistake*>
      hidden; ///< that give these very arrays on this input: equality says nothing of them

  bool equal() const { return !first_wrong; }
};

/// The mistakes that can be made on the way to `tensors`, and that change none of them on this input: where
/// n = d_k, whoever divides by √n gets what dividing by √d_k gives.
std::vector<const Mistake*> hidden_mistakes(const Trace& right, const std::vector<CheckedTensor>& tensors);

/// What is seen says what was done: no mistake of the catalogue is looked for.
bool is_explained(const std::vector<Observation>& seen);

/// What is seen where the cause is known, a sure one or several that give all alike: what was solved for only
/// says it again.
void drop_what_is_known(std::vector<Observation>& seen, const Diagnosis& diagnosis);

/// The array beside the lesson's of the same name.
CheckedTensor compared(const HandedIn& own, const Tensor& lessons, const Tolerance& tolerance);

/// Whether the wrong run gives that array.
bool gives(const WrongRun& run, const CheckedTensor& one);

/// Every `tensor` is one of `right`; without a tolerance each has its type's. Throws Error(bad_data) for
/// float16 and bfloat16, which hold too few digits. Where `required` names what has to be equal, others that
/// differ on the way to something equal are excused.
CheckReport check_arrays(const Trace& right, const std::vector<HandedIn>& arrays,
                         const std::optional<Tolerance>& tolerance = {},
                         const std::vector<std::string>& required = {});

/// "--norm standard", "--heads 4": beside the options that were given. Nothing where none fits, or where the
/// run is large.
std::optional<std::string> option_that_fits(const Lesson& lesson, const InputOptions& options,
                                            const Trace& right, const std::vector<HandedIn>& arrays,
                                            const std::optional<Tolerance>& tolerance);

/// Says it before what else is seen.
void tell_option(CheckReport& report, const Lesson& lesson, const InputOptions& options, const Trace& right,
                 const std::vector<HandedIn>& arrays, const std::optional<Tolerance>& tolerance);

} // namespace tfx
