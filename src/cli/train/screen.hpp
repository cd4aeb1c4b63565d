#pragma once
// The screen and the JSON of `tfx train` at its end: what was trained how, the curve of the loss, answers to
// sources that were held out, and a sample with what it looked at.

#include "cli/train/result.hpp"
#include "render/terminal.hpp"
#include "trace/trace.hpp"
#include "train/trainer.hpp"

#include <string>

namespace tfx {

std::string render_training(const TrainingResult& result, const Screen& screen, const Words& words,
                            const Style& style);

/// Without seconds where `with_time` is false: equal runs then print equal bytes.
std::string training_json(const TrainingState& state, const TrainingResult& result, bool with_time);

} // namespace tfx
