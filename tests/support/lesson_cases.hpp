#pragma once
// Runs of lessons that tests go through: every lesson on every tutorial's data, and on inputs of the
// learner's own.

#include "input/options.hpp"
#include "lessons/catalogue.hpp"
#include "support/temporary_folder.hpp"

#include <string>
#include <vector>

namespace tfx {

struct LessonCase {
  std::string name; ///< "masked, text, causal": for messages
  const Lesson* lesson;
  InputOptions options;
};

/// Every lesson on every run of every tutorial that fits it.
std::vector<LessonCase> tutorial_cases();

/// Every lesson on text with repeated words, tables, batches, files of weights with biases, every kind of
/// initialisation, and under every kind of mask. Files go into `folder`.
std::vector<LessonCase> own_cases(const TemporaryFolder& folder);

} // namespace tfx
