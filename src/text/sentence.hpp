#pragma once
// A sentence as a translator reads it, and tokens as a sentence again: words and punctuation marks apart,
// every Chinese character by itself, and no word twice for its capitals.
//
//   Press Ctrl+A, 然后按 OK。   ⇧ press ⇧ ctrl + ⇧ a , 然 后 按 ⇪ ok 。
//
// A token written with a capital first is its lower case behind ⇧, one in capitals behind ⇪; with other
// capitals (LibreOffice) it stays as it is. White space is not kept: sentence_of sets it by the rules of
// print.

#include <string>
#include <string_view>
#include <vector>

namespace tfx {

constexpr std::string_view capital_mark = "⇧", capitals_mark = "⇪";

/// The tokens of a text in UTF-8 as tokenize splits it (text/tokens.hpp), capitals as marks; none of a blank
/// text.
std::vector<std::string> sentence_tokens(std::string_view text);

/// The text of tokens: no blank between two CJK characters and beside their punctuation, before , . ; : ! ? )
/// ] } % and behind ( [ {, around / and +; of straight quotes every other one opens. A mark changes the token
/// behind it.
std::string sentence_of(const std::vector<std::string>& tokens);

} // namespace tfx
