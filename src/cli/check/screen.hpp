#pragma once
// The screen and the JSON of `tfx check`: a line a tensor; the first wrong one with the cell where it begins,
// the likeliest mistake, and what else can be seen. The members of a diagnosis in JSON are those of `tfx
// grade` too.

#include "cli/check/arrays.hpp"
#include "judge/diagnosis.hpp"
#include "lessons/catalogue.hpp"
#include "render/json.hpp"

namespace tfx {

/// The key mistake: an id, a list where several cannot be told apart, null where none is sure.
void write_mistake(JsonWriter& json, const std::vector<std::string>& ids);

/// The keys confidence, mistakes (all suspects), doubt (why a perhaps is not sure, or null), fits and
/// contradicts (the tensors or cases that speak for it and against).
void write_suspects(JsonWriter& json, const Diagnosis& diagnosis);

/// Whether the right numbers may be seen: a homework asks for them.
enum class RightAnswer { shown, hidden };

struct CheckedFile {
  const Lesson& lesson;
  std::string file, options;       ///< as the learner gave them
  std::string next;                ///< the lesson after it, on the same input; may be empty
  std::vector<std::string> wanted; ///< what has to be equal
  std::vector<std::string> unknown;
  const Trace& right;
  const CheckReport& report;
  RightAnswer answer = RightAnswer::shown;
};

std::string check_screen(const CheckedFile& checked, const Context& context);

std::string check_json(const CheckedFile& checked, const Style& style);

} // namespace tfx
