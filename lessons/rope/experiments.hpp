#pragma once
// What turning by the place does, measured on the first matrix of queries and of keys.

#include "input/lesson_input.hpp"
#include "page/layer_formulas.hpp"

namespace tfx {

/// Queries and keys before they turn, and how this run turns them.
class Turning {
public:
  Turning(const Trace& trace, const LessonInput& input);

  /// Queries and keys with every place `shift` further on, paired as `pairs` says.
  arma::mat turned(const arma::mat& A, double shift, RotaryPairs pairs) const;
  arma::mat scores(double shift, RotaryPairs pairs) const;
  arma::mat scores(double shift = 0) const { return scores(shift, pairs); }

  /// Which two columns are a pair, and how far apart they stand.
  std::pair<arma::uword, arma::uword> columns(arma::uword pair) const;
  std::size_t apart() const { return tfx::apart(pairs, Q.n_cols); }

  /// What rounding is relative to: the largest length of a query times that of a key, at least 1.
  double scale() const;
  /// The way of pairing that this run does not have.
  RotaryPairs other_kind() const;
  /// A base that is not this run's: Llama 3's, or for that one the paper's.
  double other_base() const;

  arma::mat Q, K;
  arma::vec positions;
  double base = usual_rotary_base;
  RotaryPairs pairs = RotaryPairs::neighbours;
};

/// The scores of places further on are those of these: check "distance_only".
void check_distance(Trace& trace, const Turning& turning);

/// The angles are those of the sinusoidal positions of the same width: check "as_sinusoidal", where the base
/// is theirs.
void check_as_sinusoidal(Trace& trace, const Turning& turning);

/// With their columns in another order the other pairs turn to the same numbers: check "kinds_permute".
void check_kinds(Trace& trace, const Turning& turning);

/// Experiment "moved": one query, one key and their score with all places further on; turned, and with
/// sinusoidal positions added.
void move_places(Trace& trace, const Turning& turning);

/// Experiment "wavelengths": after how many places each pair is round, with this base and another.
void compare_wavelengths(Trace& trace, const Turning& turning);

/// Experiments "distances", the mean cosine of a head of Llama's width by distance, and "beyond", how many of
/// its pairs are once round within a length; each with two bases.
void compare_distances(Trace& trace, const Turning& turning);

/// Experiment "kinds": how far the scores are from these, and how far a shift moves them, with the pairs of
/// this run, with the other ones, and with the other ones where the columns are in their order.
void compare_kinds(Trace& trace, const Turning& turning);

} // namespace tfx
