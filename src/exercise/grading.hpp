#pragma once
// What a program returned for each case of a series, beside the lesson's run: what is right, and of what
// is not the likeliest cause. A mistake that a right case contradicts is not sure.

#include "exercise/series.hpp"
#include "judge/check_report.hpp"

namespace tfx {

/// Of a case of the exercise.
std::size_t points_of(const Exercise& exercise);

struct GradedCase {
  std::string id;
  std::vector<CheckedTensor> tensors; ///< that were returned, in the lesson's order
  std::vector<std::string> missing;   ///< results that were not
  std::vector<std::string> unknown;   ///< what was returned under a name that nobody asked for
  std::size_t points = 0, of = 0;     ///< each result's own
  std::string convention;             ///< this stage is not the lesson's, and need not be
  std::string said;                   ///< the greedy answer in the words of the case's model

  bool pass() const { return points == of; }
  /// Nothing came back: the program ended before.
  bool is_empty() const { return tensors.empty() && unknown.empty(); }
  /// The first one that differs, in the lesson's order, or nullptr.
  const CheckedTensor* wrong() const;
};

struct Grading {
  std::vector<GradedCase> cases;
  std::optional<std::size_t> first_wrong; ///< of `cases`
  std::optional<std::size_t>
      told;            ///< of those that are wrong the one that says most: the first, where it does
  Diagnosis diagnosis; ///< of that one
  std::vector<Observation> observations; ///< of that one
  std::vector<std::string> own_mistakes; ///< of a teacher's own exercise: which of its own it may be

  bool pass() const { return !first_wrong; }
  std::size_t points() const;
  std::size_t of() const;
};

/// The ids of what is said to be the cause.
std::vector<std::string> named(const Grading& grading);

/// `returned` has its arrays under "case/name".
Grading graded(const Exercise& exercise, const std::vector<Case>& series, std::vector<NamedArray> returned);

} // namespace tfx
