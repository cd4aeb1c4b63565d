#pragma once
// The inputs of an exercise as a program gets them, and the lesson's run on each.

#include "exercise/exercise.hpp"
#include "trace/trace.hpp"

#include <map>

namespace tfx {

struct Case {
  const CaseRule* rule = nullptr;
  /// The lesson's run up to the last tensor that is asked for. What the learner is given is given, however
  /// the lesson came by it, and right: mistakes are made behind it only.
  Trace run;
  std::map<std::string, double> numbers; ///< given, and no tensors of the run: "d_k"

  double number(const Slot& slot) const;
};

/// Throws what resolving the input throws: a series is tested, so never.
std::vector<Case> series_of(const Exercise& exercise);

/// An npz of every case's inputs, under "case/name".
std::string inputs_file(const Exercise& exercise, const std::vector<Case>& series);

} // namespace tfx
