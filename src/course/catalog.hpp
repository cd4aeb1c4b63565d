#pragma once
// The course: its lessons in order with their words, and the sources shown by `tfx code`.

#include "lessons/catalogue.hpp"
#include "text/words.hpp"

#include <string>
#include <vector>

namespace tfx {

enum class Language { en, zh };

/// A line of the map: a lesson of the page, or a tour of the engine.
struct Chapter {
  int number;
  std::string command; ///< "scores"
  std::string folder;  ///< "lessons/03_scores"
};

/// All of them in order.
const std::vector<Chapter>& chapters();

/// The words of a chapter, with those that all share. `folder` is one of chapters().
Words words_in(const std::string& folder, Language language);

/// What the map calls it.
std::string title_in(const std::string& folder, Language language);

/// The words that all lessons share.
Words common_words(Language language);

/// The command after this one; empty after the last.
std::string command_after(const std::string& command);

} // namespace tfx
