#pragma once
// What the tours show on a trained model, small enough for the page: decoding with kept keys and values, and
// ranking the targets of a beam. Each is a Lesson in all but name: `tfx cache` and `tfx decode` stay the
// tours, while break, check and verify run these. They stand here and not in the tours' folders, as the tours
// see the engine and the page does not.

#include "lessons/given_options.hpp"

#include <string>
#include <vector>

namespace tfx {

/// "cache" and "decode".
const std::vector<Lesson>& practices();

/// The practice of that command, or nullptr.
const Lesson* find_practice(const std::string& command);

/// Of the options that were given, those that the practice does not read: cache reads what gives qkv its X
/// and its weights, decode --seed alone.
std::vector<GivenOption> unread_options(const InputOptions& options, const Lesson& practice);

/// What a practice runs on. Throws Error(usage) for options that it does not read, and what resolve_input
/// throws.
LessonInput practice_input(const InputOptions& options, const Lesson& practice);

/// One attention that decodes X token by token, a step a token: each step adds a row to the keys and values
/// kept and asks with one query. Of a batch it is the first sentence.
Trace run_cached(const LessonInput& input);

/// Targets of a beam: the sum of their log-probabilities up to the end, the penalty of their length, the
/// score, and which is chosen.
Trace run_ranked(const LessonInput& input);

/// Targets of random log-probabilities and lengths.
LessonInput drawn_targets(std::uint32_t seed);

} // namespace tfx
