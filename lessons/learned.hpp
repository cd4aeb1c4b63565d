#pragma once
// The box of learned numbers on a page whose own are drawn: what the shipped translator did with the
// learner's words, or with the sentence that the page has where none were given.

#include "trace/learned.hpp"

#include <optional>
#include <string>

namespace tfx {

/// The translator, and the sentence that stands in place of the learner's.
inline constexpr const char* translator = "en-zh";
inline constexpr const char* usual_sentence = "click the red cell";

/// Of the usual sentence: read from data/learned, as it was computed once (docs/design.md), so that a page is
/// there as fast as one without. Nothing for a lesson that has no box.
std::optional<Learned> usual_learned(const std::string& lesson);

/// Of a text, computed: no more of the translator is read than the lesson needs. Nothing for a lesson that
/// has no box, for a text of which the translator does not know every word or that is longer than any it was
/// trained on, for one with nothing to look at, and in a program without that model.
std::optional<Learned> learned_of(const std::string& lesson, const std::string& text);

/// Whether the translator is there and knows every word of the text.
bool knows_words(const std::string& text);

} // namespace tfx
