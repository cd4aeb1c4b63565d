#include "model/word_alignment.hpp"

#include <map>
#include <unordered_map>

namespace tfx {

namespace {

constexpr std::uint64_t nobody = std::uint64_t{1} << 32; // NULL: beyond every id

using Table = std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, double>>; // [e][f]

/// What makes a token of the target: the source's distinct words with how often each stands there, and NULL.
std::map<std::uint64_t, double> makers(const TokenIds& source) {
  std::map<std::uint64_t, double> words{{nobody, 1}};
  for (const std::uint32_t e : source) ++words[e];
  return words;
}

/// The probability of each of them to have made f.
std::map<std::uint64_t, double> posterior(std::map<std::uint64_t, double> words, const Table& t,
                                          std::uint32_t f) {
  double sum = 0;
  for (auto& [e, share] : words) sum += share *= t.at(e).at(f);
  for (auto& [e, share] : words) share /= sum;
  return words;
}

Table uniform(const std::vector<TextPair>& pairs) {
  Table t;
  for (const TextPair& pair : pairs)
    for (const auto& [e, count] : makers(pair.source))
      for (const std::uint32_t f : pair.target) t[e][f] = 1;
  return t;
}

Table maximised(const std::vector<TextPair>& pairs, const Table& before) {
  Table t;
  for (const TextPair& pair : pairs) {
    const auto words = makers(pair.source);
    for (const std::uint32_t f : pair.target)
      for (const auto& [e, share] : posterior(words, before, f)) t[e][f] += share;
  }
  for (auto& [e, row] : t) {
    double sum = 0;
    for (const auto& [f, count] : row) sum += count;
    for (auto& [f, count] : row) count /= sum;
  }
  return t;
}

} // namespace

std::vector<std::vector<std::vector<std::size_t>>> align_words(const std::vector<TextPair>& pairs,
                                                               std::size_t rounds) {
  Table t = uniform(pairs);
  for (std::size_t round = 0; round < rounds; ++round) t = maximised(pairs, t);
  std::vector<std::vector<std::vector<std::size_t>>> aligned;
  for (const TextPair& pair : pairs) {
    aligned.emplace_back(pair.target.size());
    const auto words = makers(pair.source);
    for (std::size_t i = 0; i < pair.target.size(); ++i)
      for (const auto& [e, share] : posterior(words, t, pair.target[i])) {
        constexpr double even = 0.5;
        if (e == nobody || share <= even + 1e-12) continue;
        for (std::size_t j = 0; j < pair.source.size(); ++j)
          if (pair.source[j] == e) aligned.back()[i].push_back(j);
      }
  }
  return aligned;
}

} // namespace tfx
