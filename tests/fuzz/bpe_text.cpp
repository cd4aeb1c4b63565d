// A text cut into pieces, merges learned from it, and it cut by them.
#include "fuzz.hpp"
#include "text/byte_pair_training.hpp"
#include "text/byte_pairs.hpp"
#include "text/utf8.hpp"

namespace tfx::fuzz {

void one_input(std::string_view bytes) {
  if (first_invalid_byte(bytes)) return;
  std::string joined;
  for (const std::string_view piece : gpt2_pieces(bytes)) {
    require(!piece.empty(), "a piece holds something");
    joined += piece;
  }
  require(joined == bytes, "the pieces are the text");
  const LearnedBytePairs learned = learn_byte_pairs(bytes, 20);
  const BytePairs pairs = learned.pairs();
  const std::vector<std::uint32_t> ids = pairs.encode(bytes);
  require(ids.size() == learned.tokens, "a text is cut as the training left it");
  require(pairs.decode(ids) == bytes, "a text comes back");
}

} // namespace tfx::fuzz
