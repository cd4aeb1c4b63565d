#pragma once
// The words of the course, in the learner's language: those of each lesson, which stand in its folder, and
// those of questions, hints, diagnoses and progress.

#include "text/words.hpp"
#include "words/language.hpp"

#include <string>

namespace tfx {

/// The words of a lesson's folder, with those that all lessons share.
Words words_in(const std::string& folder, Language language = tfx::language());

/// What the map calls the lesson of that folder.
std::string title_in(const std::string& folder, Language language = tfx::language());

/// The words that all lessons share.
Words common_words(Language language = tfx::language());

/// src/course/en.md and zh.md.
Words course_words(Language language = tfx::language());

} // namespace tfx
