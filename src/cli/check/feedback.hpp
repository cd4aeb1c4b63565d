#pragma once
// What is said of a wrong array, a sentence a line: the likeliest mistake, and what else can be seen. No line
// has a number of the right result.

#include "cli/context.hpp"
#include "exercise/skeleton.hpp"
#include "judge/check_report.hpp"

namespace tfx {

/// The suspects of the wrong tensor with their formulas; of an only one its symptom too, and what to do.
/// Nothing where none is found.
std::vector<std::string> mistake_lines(const Diagnosis& diagnosis, const std::string& tensor,
                                       const Trace& right, const Style& style,
                                       ProgramLanguage language = ProgramLanguage::numpy);

/// The strongest observation of the tensor, and what belongs to it: of a shape, whose it is.
std::vector<std::string> seen_lines(const std::vector<Observation>& observations, const std::string& tensor,
                                    const Style& style);

/// Sentences as one text: what has no end of its own gets one.
std::string as_one_text(const std::vector<std::string>& sentences);

/// All that is said of arrays, in one text for JSON and tables.
std::string feedback_of(const CheckReport& report, const Trace& right, const Style& style);

} // namespace tfx
