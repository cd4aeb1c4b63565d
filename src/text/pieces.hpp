#pragma once
// A text cut into the pieces inside which byte-pair encoding merges: a word with the blank before it, a
// number, a run of marks, white space. So no token ever spans two words. The rule is GPT-2's (Radford et al.
// 2019, encoder.py):
//
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

#include <cstddef>
#include <string_view>
#include <vector>

namespace tfx {

/// Where the piece ends that begins at byte `at` of a text, which must be UTF-8.
std::size_t end_of_piece(std::string_view text, std::size_t at);

/// Takes one piece after the other: a list of them may be larger than the text.
template <class Take>
void for_each_piece(std::string_view text, const Take& take) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_piece(text, at);
    take(text.substr(at, end - at));
    at = end;
  }
}

/// Together they are the text, which must be UTF-8. "I'll  go!" → I | 'll | ␣ | ␣go | !
std::vector<std::string_view> gpt2_pieces(std::string_view text);

} // namespace tfx
