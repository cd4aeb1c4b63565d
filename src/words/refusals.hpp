#pragma once
// Refusals of what stands below the words, such as readers of files and the engine, in the learner's
// language: src/words/refusals.zh.md has the Chinese under each English sentence.

#include "core/message.hpp"

#include <string>

namespace tfx {

std::string in_learners_language(const Message& message);

/// In Chinese, whatever the learner's language: for pages that hold both.
std::string in_chinese(const Message& message);

} // namespace tfx
