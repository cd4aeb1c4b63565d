#pragma once
// What a learner is told of a graded program: sentences, and never a number of the right result. Their words
// are those of src/cli/grade, of src/cli/check and of the mistakes.

#include "cli/context.hpp"
#include "cli/grade/submission.hpp"
#include "render/report.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tfx {

/// "crashed": as JSON and tables name it; empty for none.
const char* name_of(Graded::Trouble trouble);

/// What is particular about a case.
std::string case_name(const Exercise& exercise, const std::string& id, Language language);
/// The same as a sentence of both languages.
Sentence case_said(const Exercise& exercise, const std::string& id);

/// What kept the program from returning everything; nothing where nothing did.
std::optional<Sentence> trouble_said(const Submission& submission, const Graded& graded,
                                     const ProgramLimits& limits);

/// Of one case: which tensor, in how many cells; that it is right, and by another convention; that nothing
/// came back.
Sentence verdict_said(const Graded& graded, const GradedCase& one);

/// The first wrong cell, "weights[q1, k1]: yours is 0.25", or the shape that was wanted; nothing where no
/// array is wrong.
std::optional<Sentence> first_wrong_said(const Case& one, const GradedCase& graded, int precision);

/// What a teacher says of a mistake of an own exercise: its name, and the lines that follow.
std::vector<Sentence> own_mistake_said(const Exercise& exercise, const std::string& id);

/// The likeliest mistake of the told case, and what can be seen there: sentences to be read in that order,
/// with the facts that they quote.
struct Advice {
  std::vector<Sentence> mistake, seen;
};
Advice advice_on(const Submission& submission, const Grading& grading, const std::vector<Case>& series,
                 int precision);

/// The folders whose words such sentences quote beside those of src/cli/grade.
std::set<std::string> quoted_by(const Grading& grading);

/// All of a case in one text, for JSON and tables.
std::string feedback_of(const Submission& submission, const Graded& graded, const std::vector<Case>& series,
                        std::size_t number, const ProgramLimits& limits, const Style& style);

} // namespace tfx
