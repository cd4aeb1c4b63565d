#pragma once
// What `tfx train` says of a training on pairs: what was trained how, the curve of the loss, answers to
// sources that were held out, and one of them with what the model looked at.

#include "cli/train/result.hpp"
#include "render/report.hpp"

namespace tfx {

/// A quiet frame has no pictures and nothing that was watched; one without times no seconds.
Report training_report(Screen frame, TrainingResult result);

} // namespace tfx
