#pragma once
// The words of questions, hints, diagnoses and progress: src/course/en.md and zh.md.

#include "course/catalog.hpp"

namespace tfx {

Words course_words(Language language);

} // namespace tfx
