#pragma once
// How near a model's answers come to their references, all in 0 … 100 but the loss:
//
//   exact   the share of answers whose tokens are the reference's
//   BLEU    BP · exp(¼ Σ ln p_n), n = 1 … 4, over all pairs together: p_n = matched n-grams / those of the
//           answers, an n-gram matched at most as often as its reference has it; c and r the tokens of all
//           answers and of all references, BP = 1 where c > r, else exp(1 − r/c). Without smoothing: no
//           matched 4-gram, no BLEU.
//   chrF    (1 + β²)·P·R / (β²·P + R), β = 2: recall counts twice as much as precision. P and R are the
//           means, over n = 1 … 6, of matched n-grams of characters / the answers' and / the references', all
//           pairs together.
//
// What tokens and characters are says measure/n_grams.hpp. An order of which neither the answers nor the
// references have an n-gram, because all are shorter, is left out of both means. Sources: Papineni et al.
// 2002, "BLEU: a Method for Automatic Evaluation of Machine Translation", section 2.3, with one reference
// each; Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation", and 2017, "chrF++", for
// β = 2.

#include "measure/n_grams.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace tfx {

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
