#pragma once
// What a learner reads of a mistake: its words, and the formula that was written instead. A page that quotes
// them has the words of the mistake's folder (Screen::quoted).

#include "cli/context.hpp"
#include "exercise/skeleton.hpp"
#include "judge/wrong_run.hpp"
#include "render/report.hpp"

namespace tfx {

/// What gives it away; no sentence of a run that lacks a number of it.
Sentence symptom_of(const Mistake& mistake);

/// What to do instead; the line of a program is in that language.
Sentence advice_of(const Mistake& mistake, ProgramLanguage language = ProgramLanguage::numpy);

/// "scaled = scores, not scores/√3": at the first steps where the mistake was made; nothing where it stopped
/// there.
std::optional<Sentence> formulas_instead(const WrongRun& run, const Trace& right);

struct MistakeWords {
  std::string symptom, advice; ///< empty where there is no such sentence
};

/// The same as text.
MistakeWords words_of(const Mistake& mistake, const Trace& right, const Style& style,
                      Language language = tfx::language());
std::string instead(const WrongRun& run, const Trace& right, Language language = tfx::language());

/// The mistake in a line: what it writes instead, of what is more than a formula the first sentence of its
/// words.
std::string described(const Mistake& mistake, const Trace& right, const Style& style,
                      Language language = tfx::language());

/// The command whose numbers show a mistake that the usual ones of its lesson hide, where it has one.
std::optional<std::string> command_that_shows(const Mistake& mistake);

} // namespace tfx
