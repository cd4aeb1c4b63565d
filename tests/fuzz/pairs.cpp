// A learner's pairs of sentences.
#include "fuzz.hpp"
#include "train/pairs_file.hpp"

namespace tfx::fuzz {

void one_input(std::string_view bytes) {
  const auto pairs = read_or_refuse("x.tsv", [&] { return read_pairs(bytes, "x.tsv"); });
  if (!pairs) return;
  std::string text = "\uFEFF"; // taken off; a second one is text
  for (const Pair& pair : *pairs) text += pair.source + "\t" + pair.target + "\n";
  const std::vector<Pair> again = read_pairs(text, "x.tsv");
  require(again.size() == pairs->size(), "as many pairs come back");
  for (std::size_t i = 0; i < again.size(); ++i)
    require(again[i].source == (*pairs)[i].source && again[i].target == (*pairs)[i].target,
            "the pairs come back");
}

} // namespace tfx::fuzz
