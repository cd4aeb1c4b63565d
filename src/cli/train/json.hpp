#pragma once
// `tfx train --json`.

#include "trace/trace.hpp"
#include "train/trainer.hpp"

#include <string>

namespace tfx {

/// Without seconds where `with_time` is false: equal runs then print equal bytes.
std::string training_json(const TrainingState& state, const Trace& trace, bool with_time);

} // namespace tfx
