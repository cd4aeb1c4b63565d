#pragma once
// What a learner reads of a mistake: its words, and the formula that was written instead.

#include "cli/context.hpp"
#include "exercise/skeleton.hpp"
#include "judge/property.hpp"
#include "judge/wrong_run.hpp"

namespace tfx {

struct MistakeWords {
  std::string symptom; ///< what gives it away; empty where the run lacks a number of the sentence
  std::string advice;
};

/// The advice's line of a program is in that language.
MistakeWords words_of(const Mistake& mistake, const Trace& right, const Style& style,
                      ProgramLanguage language = ProgramLanguage::numpy);

/// "scaled = scores, not scores/√3": at the first step where the mistake was made; empty where it stopped
/// there.
std::string instead(const WrongRun& run, const Trace& right);

/// The mistake in a line: what it writes instead, of what is more than a formula the first sentence of its
/// words.
std::string described(const Mistake& mistake, const Trace& right, const Style& style);

/// The command whose numbers show a mistake that the usual ones of its lesson hide, where it has one.
std::optional<std::string> command_that_shows(const Mistake& mistake);

/// "the weights of each row sum to 1", without what was measured.
std::string sentence_of(const std::string& property);

/// "the weights of each row sum to 1 (off by 0.8)".
std::string sentence_of(const PropertyVerdict& verdict);

} // namespace tfx
