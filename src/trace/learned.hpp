#pragma once
// What a trained model did with some words: the meaning that a page of drawn numbers lacks, beside which it
// stands.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tfx {

/// What was looked at from one place, the most first: "cell" → "red" 0.66, "cell" 0.21. From a word its
/// nearest ones, with their cosines; from a token keys, with their weights.
struct LearnedRow {
  std::string from = {};
  std::string writes = {}; ///< the token that a decoder writes behind that one
  std::vector<std::pair<std::string, double>> to = {};
  std::size_t head = 0;
};

/// What the sentence below the rows quotes: from where which other token is looked at, and how much.
struct LearnedPoint {
  std::string from, writes, key;
  double weight = 0;
};

struct Learned {
  std::string lesson = {}; ///< "attention"
  std::string model = {}, text = {};
  std::string answer = {};               ///< what the model wrote; empty where it was not asked to
  std::optional<std::size_t> layer = {}; ///< of the attention; words have none
  std::vector<LearnedRow> rows = {};
  std::optional<LearnedPoint> point = {}; ///< none where every row looks most at itself
};

} // namespace tfx
