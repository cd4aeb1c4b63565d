#pragma once
// What the lesson on byte-pair encoding learns merges from, and what they cut: a text's pieces and a word.

#include "input/options.hpp"

#include <string_view>

namespace tfx {

/// Merges of a page; `tfx bpe train` learns a million.
inline constexpr std::size_t max_lesson_merges = 20;
/// Bytes of a page's text, and of one of its pieces.
inline constexpr std::size_t max_lesson_text = 2000, max_lesson_piece = 120;

/// symbols (1, s): the different bytes of both, in the order of their ids; pieces (p, n): the text's
/// different pieces as numbers of symbols, −1 where one has ended, in the order in which they appear; counts
/// (p, 1); word (pieces, m). Of --text and --word (without which the text's rarest piece is cut), else the
/// example of the paper. Throws Error(usage) where one is empty, no UTF-8 or too long.
LessonInput text_to_cut(const InputOptions& options, const InputRules& lesson);

/// A symbol's bytes as a page shows them: characters, "Ġ" for a blank as GPT-2's files have it, "<E4>" for a
/// byte of an unfinished character.
std::string shown_symbol(std::string_view bytes);

} // namespace tfx
