#pragma once
// A text cut into the pieces inside which byte-pair encoding merges: a word with the blank before it, a
// number, a run of marks, white space. So no token ever spans two words. The rule is GPT-2's (Radford et al.
// 2019, encoder.py):
//
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+

#include <string_view>
#include <vector>

namespace tfx {

/// Together they are the text, which must be UTF-8. "I'll  go!" → I | 'll | ␣ | ␣go | !
std::vector<std::string_view> gpt2_pieces(std::string_view text);

} // namespace tfx
