#pragma once
// Refusals of what stands below the words, such as readers of files and the engine, which speak English: the
// same in the learner's language. src/words/refusals.zh.md has the Chinese under the English sentence, whose
// {names} stand for what the sentence says of this case.

#include <string>

namespace tfx {

/// A message or a hint in the learner's language. One whose beginning names a place ("x.csv: line 3, column
/// 2: …") is known by what stands behind it; what is not known stays as it is.
std::string in_learners_language(const std::string& english);

/// In Chinese, whatever the learner's language: for pages that hold both.
std::string in_chinese(const std::string& english);

} // namespace tfx
