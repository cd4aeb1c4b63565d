#pragma once
// The learner's own input, and random input of the learner's sizes; words become numbers of rows of a table.

#include "input/draws.hpp"
#include "input/options.hpp"
#include "text/tokens.hpp"

#include <string>
#include <vector>

namespace tfx {

/// The words when there is no --text.
inline constexpr const char* default_sentence = "the cat sat on the mat";

/// token_ids in order of appearance, and token_embedding: drawn (words × d_model), or the file's; learned
/// positions where the file has position_embedding. Throws Error(bad_data) where a table is too small.
LessonInput own_words(const InputOptions& options, const InputRules& lesson);

/// Vectors of distinct words, (words, width), as the options' rule draws them; `seed` where it is not theirs.
Tensor word_vectors(const InputOptions& options, Draws& draws, const std::string& name,
                    const std::vector<std::string>& words, std::size_t width,
                    std::optional<std::uint32_t> seed = {});

/// For the page: which words have the same vector by chance, as --init randint draws it.
void state_same_vectors(Trace& given, const std::vector<std::string>& words, const Tensor& vectors);

/// What the page says of a learner's text: how many tokens, how many different ones.
void state_tokens(Trace& given, const DistinctTokens& tokens);

/// positions 0 … n − 1, named as the tokens.
void add_positions(LessonInput& input, std::size_t n, std::vector<std::string> tokens);

/// Tokens from --text, --words, --x or at random, and their projections.
LessonInput own_tokens(const InputOptions& options, const InputRules& lesson);

/// --q, --k and --v, or random ones of --n-q, --n-k, --d-k and --d-v: Q, K and V themselves, or in lessons
/// that project, what is projected.
LessonInput own_triple(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
