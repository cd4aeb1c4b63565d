#include "ngram/copied.hpp"

#include <algorithm>
#include <cstdint>

namespace tfx {

namespace {

bool stands_in(const std::uint32_t* first, std::size_t count,
               const std::vector<std::vector<std::uint32_t>>& documents) {
  return std::any_of(documents.begin(), documents.end(), [&](const std::vector<std::uint32_t>& document) {
    return std::search(document.begin(), document.end(), first, first + count) != document.end();
  });
}

} // namespace

// Each place asks only for a run that is longer than the longest so far.
Copied longest_copied(const std::vector<std::uint32_t>& written,
                      const std::vector<std::vector<std::uint32_t>>& documents) {
  Copied longest;
  for (std::size_t begin = 0; begin + longest.length < written.size(); ++begin)
    while (begin + longest.length < written.size() &&
           stands_in(written.data() + begin, longest.length + 1, documents))
      longest = {begin, longest.length + 1};
  return longest;
}

} // namespace tfx
