#pragma once
// The screen and the JSON of `tfx check`: a line a tensor; the first wrong one with the cell where it begins,
// the likeliest mistake, and what else can be seen.

#include "cli/check/arrays.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

/// Whether the right numbers may be seen: a homework asks for them.
enum class Answer { shown, hidden };

struct CheckedFile {
  const Lesson& lesson;
  std::string file, options;       ///< as the learner gave them
  std::string next;                ///< the lesson after it, on the same input; may be empty
  std::vector<std::string> wanted; ///< what has to be equal
  std::vector<std::string> unknown;
  const Trace& right;
  const CheckReport& report;
  Answer answer = Answer::shown;
};

std::string check_screen(const CheckedFile& checked, const Context& context);

std::string check_json(const CheckedFile& checked, const Style& style);

} // namespace tfx
