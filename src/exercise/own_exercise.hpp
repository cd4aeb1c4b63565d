#pragma once
// A teacher's own exercise: a folder, read when it is run.
//
//   inputs.npz    what the function is given, each array as CASE/NAME
//   outputs.npz   what it has to return, in the same way
//   wrong.npz     if there is one, what it returns that is done wrong, each array as WRONG/CASE/NAME
//   en.md, zh.md  "## title", "## exercise" (the task), and if one likes "## case.CASE"; of each WRONG "##
//   wrong.WRONG",
//                 its name in a line and below what to say of it; one of the files will do
//
// The folder's name is the function's. Names become code of a learner's program, and texts its comments, so
// both are taken as hostile.

#include "exercise/grading.hpp"
#include "text/words.hpp"
#include "words/in_words.hpp"

#include <memory>

namespace tfx {

struct OwnTask {
  Words en, zh; ///< equal where there is only one file
  const Words& words(Language language) const { return language == Language::zh ? zh : en; }
  std::vector<NamedArray> inputs, outputs, wrong;
};

/// A program of that name would be imported in the place of what it imports: "math", "numpy".
bool is_python_module(const std::string& name);

/// Throws Error(no_input) where a file is missing, Error(bad_data) with the file and what is wrong in it.
std::shared_ptr<const Exercise> own_exercise(const std::string& folder);

/// A case of an own exercise: everything in it is given, so that no mistake of the catalogue is looked for.
Case own_case(const Exercise& exercise, const CaseRule& rule);

/// Each WRONG whose arrays are all that was returned where it has any, a wrong case among these.
std::vector<std::string> own_mistakes(const OwnTask& task, const std::vector<GradedCase>& cases);

} // namespace tfx
