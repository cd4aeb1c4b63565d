#pragma once
// A class graded: for each student of a roster the program or the arrays that stand under their name in a
// folder. Whatever one of them does, the others are graded. The roster is a text table "id,seed" or
// "id,seed,lang", with or without that header; an id is the name of the student's file, so it is a plain one.

#include "cli/grade/feedback.hpp"
#include "input/options.hpp"
#include "words/in_words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Student {
  std::string id;
  std::uint32_t seed = 0;
  std::optional<Language> language;
};

/// Throws Error(bad_data) naming the line: an id that is no plain name or stands twice, a seed that is no
/// number, another language, no student at all.
std::vector<Student> parse_roster(std::string_view text, const std::string& file);

struct ClassTask {
  std::shared_ptr<const Exercise> exercise;
  std::string folder, python;
  ProgramLimits limits;
  InputOptions input; ///< of the lesson, for arrays: every student's seed is put in
};

struct StudentResult {
  std::string id;
  std::size_t points = 0, of = 0;
  std::string
      verdict; ///< right, wrong, missing, unreadable, other_seed, or what kept a program from its results
  std::string mistake, feedback;
};

/// What a student's file may be called, in the order in which it is looked for.
std::vector<std::string> possible_files(const std::string& folder, const std::string& id);

/// In the roster's order; fewer where a signal ended it.
std::vector<StudentResult> grade_class(const ClassTask& task, const std::vector<Student>& students,
                                       const Style& style, const StopSignals& signals);

/// "id,points,of,verdict,mistake,feedback" and a line a student.
std::string class_table(const std::vector<StudentResult>& results);

} // namespace tfx
