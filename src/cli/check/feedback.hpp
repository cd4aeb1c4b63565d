#pragma once
// What is said of a wrong array, a sentence a line: the likeliest mistake, and what else can be seen. No line
// has a number of the right result. With the members of a diagnosis, which are those of `tfx grade` too. The
// words are those of src/cli/check and of the mistakes.

#include "cli/context.hpp"
#include "exercise/skeleton.hpp"
#include "judge/check_report.hpp"
#include "render/report.hpp"

namespace tfx {

/// The suspects of the wrong tensor with their formulas; of an only one its symptom too, and what to do.
/// Nothing where none is found.
std::vector<Sentence> mistakes_said(const Diagnosis& diagnosis, const std::string& tensor, const Trace& right,
                                    ProgramLanguage language = ProgramLanguage::numpy);

/// The strongest observation of the tensor, and what belongs to it: of a shape, whose it is.
std::vector<Sentence> seen_said(const std::vector<Observation>& observations, const std::string& tensor,
                                int precision);

/// The first wrong cell: "weights[q1, k1]: yours is 0.25".
Sentence first_cell_said(const std::string& cell, double yours, int precision);

/// The folders of what is suspected, of which a page quotes the words of those mistakes.
std::set<std::string> folders_of(const Diagnosis& diagnosis);

/// "weights: 15 of 20 cells are wrong", or of another shape which it has.
Sentence differs_said(const CheckedTensor& wrong);

/// What is said as text by these words, a line each, with the facts of `right`; what has no text there is
/// left out.
std::vector<std::string> lines_of(const std::vector<Sentence>& said, const Words& words, const Trace& right,
                                  const Style& style);

/// Sentences as one text: what has no end of its own gets one.
std::string as_one_text(const std::vector<std::string>& sentences);

Names ids_of(const std::vector<const Mistake*>& mistakes);

/// "mistake": an id, a list where several cannot be told apart, null where none is sure.
Member mistake_member(const std::vector<std::string>& ids);

/// confidence, mistakes (all suspects), doubt (why a perhaps is not sure, or null), fits and contradicts (the
/// tensors or cases that speak for it and against).
std::vector<Member> suspect_members(const Diagnosis& diagnosis);

/// All that is said of arrays, in one text for JSON and tables.
std::string feedback_of(const CheckReport& report, const Trace& right, const Style& style);

} // namespace tfx
