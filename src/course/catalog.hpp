#pragma once
// The course: its lessons in order with their words, and the sources shown by `tfx code`.

#include "lessons/lesson.hpp"
#include "text/words.hpp"

#include <string>

namespace tfx {

enum class Language { en, zh };

/// The words of a lesson, with those that all lessons share.
Words words_of(const Lesson& lesson, Language language);

/// What the map calls a lesson.
std::string title_of(const Lesson& lesson, Language language);

/// The words that all lessons share.
Words common_words(Language language);

/// The command after this one; empty after the last.
std::string command_after(const Lesson& lesson);

} // namespace tfx
