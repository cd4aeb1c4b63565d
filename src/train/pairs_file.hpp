#pragma once
// A learner's own pairs: one a line, the source, a TAB, the target, as UTF-8. A byte order mark, CRLF and
// blank lines at the end are understood. Quotes are characters like any other: TSV has none, and sentences
// are full of them.

#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Pair {
  std::string source, target; ///< neither is blank
};

/// Tokens of a source or a target, at most.
constexpr std::size_t max_pair_tokens = 1000;

/// At least one pair. `name` is the file's name in messages.
/// Throws Error(bad_data) "NAME: line L, column C: …" where a line has not two cells, a cell is blank or
/// holds a control character, a blank line stands between the pairs, or the bytes are no UTF-8 text;
/// Error(no_memory) where a task of them does not fit.
std::vector<Pair> read_pairs(std::string_view bytes, const std::string& name);

} // namespace tfx
