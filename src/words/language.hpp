#pragma once
// The language that the learner reads.

namespace tfx {

enum class Language { en, zh };

/// One for the whole process: English, unless set_language has said otherwise.
Language language();

/// Decided once, before anything is said and before threads start.
void set_language(Language language);

} // namespace tfx
