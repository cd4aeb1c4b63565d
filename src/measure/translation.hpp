#pragma once
// How near a model's answers come to their references: the share that is exact; BLEU = BP · exp(¼ Σ ln p_n)
// over n-grams of tokens, n = 1 … 4, of all pairs together, BP = 1 where the answers have more tokens (c)
// than the references (r), else exp(1 − r/c), without smoothing; and chrF = (1 + β²)·P·R / (β²·P + R), β = 2,
// where P and R are means over n-grams of characters, n = 1 … 6. All are in 0 … 100, only the loss is not; an
// n-gram is matched at most as often as its reference has it, and an order of which neither side has an
// n-gram is left out of both means. Sources: Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation
// of Machine Translation", section 2.3, with one reference each; Popović 2015, "chrF: character n-gram
// F-score for automatic MT evaluation", and 2017, "chrF++", for β = 2.

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

/// What a pair adds to the measures: they are functions of the sums.
struct PairCounts {
  std::size_t pairs = 0, exact = 0;
  std::array<NGramMatches, 4> tokens = {};
  std::array<NGramMatches, 6> characters = {};
  double loss = 0; ///< Σ −ln p(token of the reference | those before it); who knows the model adds it
  std::size_t loss_tokens = 0; ///< of the reference, its end among them

  PairCounts& operator+=(const PairCounts& other);
};

/// All but the loss. Both are UTF-8.
PairCounts compare_pair(std::string_view answer, std::string_view reference);

struct Measures {
  double exact = 0, bleu = 0, chrf = 0;
  double loss = 0;       ///< of a token, in nats; 0 where none was added
  double perplexity = 0; ///< exp(loss); 0 where none was added
};

double bleu(const std::array<NGramMatches, 4>& tokens);
double chrf(const std::array<NGramMatches, 6>& characters);
Measures measures_of(const PairCounts& sum);

} // namespace tfx
