#pragma once
// A piece of work ready to be run again and again on the same input, with what it should give; and how a
// preset's is made, with drawn weights and ids, or with those of an .npz file, so that several programs
// compute the same.

#include "bench/work.hpp"

#include <armadillo>

#include <cstdint>
#include <functional>
#include <string>

namespace tfx::bench {

/// How far a result is from the same result computed in another way, relative to the largest number of the
/// latter.
struct Agreement {
  std::string with; ///< "page", "double", "one_pass": what it was compared with, key of a sentence
  double difference = 0;
  double bound = 0;

  bool holds() const { return difference <= bound; } ///< not where the difference is NaN
};

struct Case {
  Work work;
  std::function<arma::fmat()> run;    ///< a column a token; of training its loss, of decoding the ids
  std::function<Agreement()> compare; ///< runs it once more
};

/// Two computations in float of the same numbers differ by rounding: products of some thousand terms by a few
/// 1e-6 of the largest number. Whatever is wrong is far above this.
inline constexpr double rounding_bound = 1e-4;

/// max |a − b| / max |b|; NaN where one of them is.
double relative_difference(const arma::mat& a, const arma::mat& b);

// The work of a preset: with drawn weights and ids, or with those of an .npz file, so that several programs
// compute the same.
//
//   attention      te (vocab, d), pe (seq, d), wq wk wv wo (d, d) as x @ w, ids (batch, seq)
//   model, decode  the state_dict's names (docs/model.md); src (batch, len) of an encoder-decoder; tgt
//   (batch,
//                  len), for model what is read, for decode of a decoder alone the prompt

Case make_case(const WorkPreset& preset, std::uint32_t seed);

/// Training has no such file: its weights move. Throws Error(no_input), Error(bad_data) naming the array
/// where one is missing, has another shape, or an id is none of the vocabulary's.
Case load_case(const WorkPreset& preset, const std::string& path, std::uint32_t seed);

} // namespace tfx::bench
