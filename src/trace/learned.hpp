#pragma once
// What a trained model did with some words: the meaning that a page of drawn numbers lacks, beside which it
// stands.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tfx {

/// What was looked at from one place, the most first: "cell" → "red" 0.66, "cell" 0.21. From a word its
/// nearest ones, with their cosines; from a token that reads and writes ("击→红") keys, with their weights.
struct LearnedRow {
  std::string from = {};
  std::vector<std::pair<std::string, double>> to = {};
  std::size_t head = 0;

  bool operator==(const LearnedRow&) const = default;
};

struct Learned {
  std::string lesson = {}; ///< "attention"
  std::string model = {}, text = {};
  std::string answer = {};               ///< what the model wrote; empty where it was not asked to
  std::optional<std::size_t> layer = {}; ///< of the attention
  std::vector<LearnedRow> rows = {};
};

} // namespace tfx
