#pragma once
// The learner's words as numbers of rows of a table.

#include "input/options.hpp"
#include "text/tokens.hpp"

namespace tfx {

/// The words when there is no --text.
inline constexpr const char* default_sentence = "the cat sat on the mat";

/// token_ids in order of appearance, and token_embedding: drawn (words × d_model), or the file's; learned
/// positions where the file has position_embedding. Throws Error(bad_data) where a table is too small.
LessonInput own_words(const InputOptions& options);

/// What the page says of a learner's text: how many tokens, how many different ones.
void state_tokens(Trace& given, const DistinctTokens& tokens);

/// positions 0 … n − 1, named as the tokens.
void add_positions(LessonInput& input, std::size_t n, std::vector<std::string> tokens);

} // namespace tfx
