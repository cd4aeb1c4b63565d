#pragma once
// What a mask promises, tried on the run's own numbers.

#include "input/lesson_input.hpp"

namespace tfx {

/// A mask of 0 and −∞ that is added gives the same weights as the mask of 1 and 0 that selects:
/// "additive_mask".
void check_additive_mask(Trace& trace);

/// Under a causal mask another last key and value move no earlier row ("future_unseen"); without the mask
/// they do (facts future_*).
void check_future(Trace& trace, const LessonInput& input);

/// Row t of one masked pass is the last row of a pass over the first t tokens: "prefix". That is why training
/// is parallel.
void check_prefixes(Trace& trace, const LessonInput& input);

/// Another content of the last key, once it is masked as padding, changes nothing: "padding_unseen".
void check_padding(Trace& trace);

/// A row that may see nothing: 0 or NaN with −∞, uniform with −1e9: "blocked_row_is_zero" or
/// "blocked_row_is_nan".
void check_masked_row(Trace& trace, FullyMaskedRow policy);

} // namespace tfx
