#pragma once
// What a learner is told of a graded program: in words, and never with a number of the right result.

#include "cli/context.hpp"
#include "cli/grade/submission.hpp"

namespace tfx {

/// What kept the program from returning everything; empty where nothing did.
std::string trouble_words(const Submission& submission, const Graded& graded, const ProgramLimits& limits);

/// Of one case: which tensor, in how many cells; that it is right, and by another convention; that nothing
/// came back.
std::string case_words(const Graded& graded, const GradedCase& one);

/// The first wrong cell: "weights[q1, k1] is 0.25 and should not be".
std::string first_cell_words(const Case& one, const GradedCase& graded, const Style& style);

/// The likeliest mistake of the first wrong case, and what can be seen there: lines to be read in that order.
struct Advice {
  std::vector<std::string> mistake, seen;
};
Advice advice_on(const Submission& submission, const Grading& grading, const std::vector<Case>& series,
                 const Style& style);

/// All of a case in one text, for JSON and tables.
std::string feedback_of(const Submission& submission, const Graded& graded, const std::vector<Case>& series,
                        std::size_t number, const ProgramLimits& limits, const Style& style);

} // namespace tfx
