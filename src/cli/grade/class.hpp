#pragma once
// A class graded: for each student of a roster the program or the arrays that stand under their name in a
// folder. Whatever one of them does, the others are graded.

#include "cli/grade/feedback.hpp"
#include "cli/grade/roster.hpp"
#include "input/options.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tfx {

struct ClassTask {
  std::shared_ptr<const Exercise> exercise;
  std::string folder, python;
  ProgramLimits limits;
  InputOptions input; ///< of the lesson, for arrays: every student's seed is put in
};

struct StudentResult {
  std::string id;
  std::size_t points = 0, of = 0;
  /// right, wrong, missing, not_a_program, unreadable, saved, other_seed, no_seed, or what kept a program
  /// from its results
  std::string verdict = {};
  std::string mistake = {}, feedback = {};
  std::string same_as = {}; ///< whose hand-in is the same but for names, blanks and comments
  std::string prints = {};  ///< the beginning of what the program printed
};

/// What a student's file may be called, in the order in which it is looked for.
std::vector<std::string> possible_files(const std::string& folder, const std::string& id);

/// In the roster's order; fewer where a signal ended it.
std::vector<StudentResult> grade_class(const ClassTask& task, const std::vector<Student>& students,
                                       const Style& style, const StopSignals& signals);

/// "id,points,of,verdict,mistake,feedback,share,same_as,prints" and a line a student.
std::string class_table(const std::vector<StudentResult>& results);

} // namespace tfx
