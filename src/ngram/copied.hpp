#pragma once
// How much of a written text was read somewhere: the longest run of it that stands in the text it was learned
// from.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tfx {

struct Copied {
  std::size_t begin = 0, length = 0; ///< in the written text, in tokens
};

/// The first of the longest runs of tokens in `written` that stand in a row in one of the documents.
Copied longest_copied(const std::vector<std::uint32_t>& written,
                      const std::vector<std::vector<std::uint32_t>>& documents);

} // namespace tfx
