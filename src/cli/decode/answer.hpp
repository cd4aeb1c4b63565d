#pragma once
// What `tfx decode` says of one text: what was written, how sure the model was, where it looked, the beam's
// tree.

#include "cli/decode/decoding.hpp"
#include "cli/decode/trained_model.hpp"
#include "render/report.hpp"

#include <string>

namespace tfx {

struct AnswerLayout {
  bool is_lesson = false; ///< the lesson's words stand around the text; else it stands in the first line
  bool each_head = false; ///< pictures of every layer's heads, not of the mean of the last one's
};

/// `text` is what the model read. The status of its checks is the report's.
Report answer_report(Screen frame, Decoded decoded, const TrainedModel& trained, const std::string& text,
                     const AnswerLayout& layout);

/// Members "narrowing.…", which score has too.
void add_narrowing(Report& report, const Narrowing& measured);

} // namespace tfx
