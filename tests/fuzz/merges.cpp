// The merges of a byte-pair encoding, as merges.txt.
#include "fuzz.hpp"
#include "tokens/byte_pair_files.hpp"

namespace tfx::fuzz {

void one_input(std::string_view bytes) {
  const auto merges = read_or_refuse("merges.txt", [&] { return read_merges(bytes, "merges.txt"); });
  if (!merges) return;
  require(read_merges(write_merges(*merges), "merges.txt") == *merges, "the merges come back");
  const BytePairs pairs(*merges);
  if (bytes.size() % 4 == 0) // its 256 bytes take longer than all else
    require(read_vocabulary(write_vocabulary(pairs.tokens()), *merges, "vocab.json") == pairs.tokens(),
            "the tokens come back");
  const std::string text = "a \xE6\x88\x91 aabb 1" + written_bytes(bytes.substr(0, 20));
  require(pairs.decode(pairs.encode(text)) == text, "a text comes back");
}

} // namespace tfx::fuzz
