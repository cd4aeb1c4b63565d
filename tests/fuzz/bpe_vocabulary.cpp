// The ids of a byte-pair encoding, as vocab.json. All 256 bytes have to stand in one, more than an input is
// long: they are added where the input leaves room for them, so that what follows is reached too.
#include "fuzz.hpp"
#include "tokens/byte_pair_files.hpp"

namespace tfx::fuzz {

void one_input(std::string_view bytes) {
  const std::string name = "vocab.json";
  const std::vector<Merge> merges{{"a", "b"}};
  std::string text(bytes);
  if (text.starts_with("{") && text.find("Ġ") == std::string::npos) {
    static const std::string whole = write_vocabulary(byte_tokens());
    text = whole.substr(0, whole.rfind('}')) + "," + text.substr(1);
  }
  const auto tokens = read_or_refuse(name, [&] { return read_vocabulary(text, merges, name); });
  if (!tokens) return;
  if (bytes.size() % 2 == 0) // half of the inputs: it takes as long as all else
    require(read_vocabulary(write_vocabulary(*tokens), merges, name) == *tokens, "the tokens come back");
  const BytePairs pairs(merges, *tokens);
  require(pairs.decode(pairs.encode("ab b a\xE6\x88\x91")) == "ab b a\xE6\x88\x91", "a text comes back");
}

} // namespace tfx::fuzz
