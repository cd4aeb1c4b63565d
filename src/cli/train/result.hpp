#pragma once
// A training that has ended, as facts and checks of a trace, and a sample of what the model answers.

#include "parity/training_proofs.hpp"

#include <optional>
#include <string>

namespace tfx {

/// Held-out examples that the accuracy is measured on unless more or fewer are asked for.
constexpr std::size_t usual_held_out = 200;

/// What was seen while the steps were made.
struct Watched {
  std::vector<AttentionMoment> moments; ///< none where nothing is held out
  double longest_gradient = 0;
  std::uint64_t longest_at = 0; ///< its step
  ModuleTimes times = {};
};

struct TrainingResult {
  const TrainingState& state;
  Trace trace;                              ///< facts, checks, cost
  std::optional<HeldOutSample> sample = {}; ///< none where nothing is held out
  std::vector<AttentionMoment> moments = {};
  std::vector<PartTime> times = {}; ///< of one step, the mean of those made here
};

/// How this process ran it.
struct TrainingRun {
  std::uint64_t first = 0; ///< steps that had been made before
  Cost cost;
  std::optional<std::uint64_t> resumed_at = {};
  std::string file = {}; ///< where it was saved; empty: nowhere
  Watched watched = {};
};

/// With the checks of parity/training_proofs.hpp.
TrainingResult training_result(const TrainingState& state, const Task& task, const TrainingRun& run);

} // namespace tfx
