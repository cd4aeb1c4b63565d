#pragma once
// What `tfx check` shows: a line a tensor; the first wrong one with the cell where it begins, the likeliest
// mistake, and what else can be seen. The members of a diagnosis are those of `tfx grade` too.

#include "judge/check_report.hpp"
#include "lessons/catalogue.hpp"
#include "render/report.hpp"

#include <memory>

namespace tfx {

/// "mistake": an id, a list where several cannot be told apart, null where none is sure.
Member mistake_member(const std::vector<std::string>& ids);

/// confidence, mistakes (all suspects), doubt (why a perhaps is not sure, or null), fits and contradicts (the
/// tensors or cases that speak for it and against).
std::vector<Member> suspect_members(const Diagnosis& diagnosis);

/// Whether the right numbers may be seen: a homework asks for them.
enum class RightAnswer { shown, hidden };

struct CheckedFile {
  const Lesson& lesson;
  std::string file, asked, options; ///< as the learner gave them: the options of check, those of the lesson
  std::string next;                 ///< the lesson after it, on the same input; may be empty
  std::vector<std::string> wanted;  ///< what has to be equal
  std::vector<std::string> unknown;
  std::shared_ptr<const Trace> right;
  CheckReport checked;
  RightAnswer answer = RightAnswer::shown;
};

Report check_report(const CheckedFile& file, const Style& style);

} // namespace tfx
