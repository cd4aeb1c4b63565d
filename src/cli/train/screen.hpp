#pragma once
// The screen of `tfx train` at its end: what was trained how, the curve of the loss, answers to sources that
// were held out, and a sample with what it looked at.

#include "cli/train/result.hpp"
#include "render/terminal.hpp"

namespace tfx {

std::string render_training(const TrainingResult& result, const Screen& screen, const Words& words,
                            const Style& style);

} // namespace tfx
