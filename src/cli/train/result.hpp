#pragma once
// A training that has ended: facts and checks of a trace, a sample of what the model answers, and the report
// of it.

#include "cli/decode/decoding.hpp"
#include "render/report.hpp"
#include "trace/trace.hpp"
#include "train/trainer.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tfx {

/// Facts: what was trained how.
void state_config(Trace& trace, const TrainingState& state);

/// Check: the loss has fallen from the first tenth of the steps to the last; none of a few steps. Facts:
/// both, and which way it went.
void check_loss(Trace& trace, const std::vector<double>& losses);

/// Check of a control run, on shuffled targets: it answers no more of the held-out sources than always saying
/// the most common answer would, but for three standard deviations of chance.
void check_control(Trace& trace, const TrainingState& state, const Task& task);

/// A held-out source answered by the trained model: the longest of a few, more to look at than one token.
struct HeldOutSample {
  std::string source, wanted, answer;
};

HeldOutSample held_out_sample(const TrainingState& state, const Task& task);

/// Where the model looked at that source's tokens after a step, its true target read along.
struct AttentionMoment {
  std::uint64_t step = 0;
  Step alignment;
};

/// The steps after which a training's attention is looked at: none, an eighth, a quarter, a half, all of
/// them.
bool is_moment(std::uint64_t step, std::uint64_t steps);

/// Of a task that holds something out.
AttentionMoment attention_now(const TrainingState& state, const Task& task);

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

/// With those checks.
TrainingResult training_result(const TrainingState& state, const Task& task, const TrainingRun& run);

/// Its page: a quiet frame has no pictures and nothing that was watched, one without times no seconds.
Report training_report(Screen frame, TrainingResult result);

} // namespace tfx
