#pragma once
// n-grams, n units in a row, and how many of them two texts share: what BLEU and chrF count.

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tfx {

/// A text's tokens or its characters, in order; they are views of the text.
using Units = std::vector<std::string_view>;

/// Tokens as BLEU counts them: white space separates; a Chinese, Japanese or Korean character, a punctuation
/// mark and a symbol are each a token; so is every longest run of other characters. Case is kept.
/// "Don't 保存。" → Don ' t 保 存 。
Units tokens_to_count(std::string_view text);

/// Characters as chrF counts them: code points, without white space.
Units characters_to_count(std::string_view text);

/// Of one order n, of a pair or summed over pairs.
struct NGramMatches {
  std::size_t matched = 0; ///< Σ over n-grams of the smaller of its counts in answer and reference
  std::size_t answer = 0, reference = 0; ///< how many each has

  NGramMatches& operator+=(const NGramMatches& other);
  bool operator==(const NGramMatches&) const = default;
  /// Neither has an n-gram of this order: it says nothing.
  bool is_empty() const { return answer == 0 && reference == 0; }
};

NGramMatches n_gram_matches(const Units& answer, const Units& reference, std::size_t n);

/// Of the orders 1 … N.
template <std::size_t N>
std::array<NGramMatches, N> n_gram_matches(const Units& answer, const Units& reference) {
  std::array<NGramMatches, N> orders;
  for (std::size_t n = 1; n <= N; ++n) orders[n - 1] = n_gram_matches(answer, reference, n);
  return orders;
}

} // namespace tfx
