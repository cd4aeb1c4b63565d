#pragma once
// From a learner's sentence to tokens, from tokens to the ids that an embedding looks up, and back to a
// sentence; what a trained model knows is a Vocabulary (text/vocabulary.hpp). A translator reads words and
// punctuation marks apart, every Chinese character by itself, and no word twice for its capitals: a capital
// first is lower case behind ⇧, a word in capitals behind ⇪, other capitals (LibreOffice) stay, and "Press
// Ctrl+A, 然后按 OK。" is ⇧ press ⇧ ctrl + ⇧ a , 然 后 按 ⇪ ok 。 White space is not kept: sentence_of sets
// it by the rules of print.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// The bytes of the longest word: it stands in front of rows and above columns, in explanations and pages,
/// thousands of times.
inline constexpr std::size_t max_word = 1000;

/// The bytes of the first word that is longer than max_word.
std::optional<std::size_t> too_long_word(const std::vector<std::string>& words);

/// Tokens of a learner's text, in order: 我爱 NLP，真的！ → 我 爱 NLP ， 真 的 ！. White space separates them
/// (Unicode's, so U+3000 too). A CJK character is one; so is a run of letters and digits of other scripts
/// with the apostrophes, hyphens and underscores inside (don't, state-of-the-art, word_1, GPT-2) and the
/// point inside a number (3.14); so is every other character. A mark like [PAD] or </s> stays whole. A byte
/// order mark at the start is no part of the text. Throws Error(usage) for invalid UTF-8, naming the byte,
/// for a text without any token, and
/// for a word that is too long.
std::vector<std::string> tokenize(std::string_view text);

/// The same of a text in UTF-8 that may be blank, and whose words may have any length.
std::vector<std::string> words_and_marks(std::string_view text);

/// What stands between white space (Unicode's, so U+3000 too); the text must be UTF-8.
std::vector<std::string> split_at_white_space(std::string_view text);

/// Throws Error(usage) for invalid UTF-8, naming the byte.
void require_utf8(std::string_view text);

/// The distinct tokens of a text, and the text as ids.
struct DistinctTokens {
  std::vector<std::string> words; ///< distinct tokens in order of appearance; the position is the id
  std::vector<std::size_t> ids;   ///< id of each token of the text
};

DistinctTokens distinct(const std::vector<std::string>& tokens);

// A sentence as a translator reads it, and tokens as a sentence again: words and punctuation marks apart,
// every Chinese character by itself, and no word twice for its capitals.
//
//   Press Ctrl+A, 然后按 OK。   ⇧ press ⇧ ctrl + ⇧ a , 然 后 按 ⇪ ok 。
//
// A token written with a capital first is its lower case behind ⇧, one in capitals behind ⇪; with other
// capitals (LibreOffice) it stays as it is. White space is not kept: sentence_of sets it by the rules of
// print.

constexpr std::string_view capital_mark = "⇧", capitals_mark = "⇪";

/// The tokens of a text in UTF-8 as tokenize splits it (text/tokens.hpp), capitals as marks; none of a blank
/// text.
std::vector<std::string> sentence_tokens(std::string_view text);

/// The text of tokens: no blank between two CJK characters and beside their punctuation, before , . ; : ! ? )
/// ] } % and behind ( [ {, around / and +; of straight quotes every other one opens. A mark changes the token
/// behind it.
std::string sentence_of(const std::vector<std::string>& tokens);

} // namespace tfx
