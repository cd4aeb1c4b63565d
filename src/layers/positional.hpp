#pragma once
// Where a token stands in its sequence, added to what it is: by sines and cosines, which are computed, or by
// a table that is learned.

#include "layers/parameters.hpp"
#include "layers/sequences.hpp"
#include "layers/storage.hpp"

namespace tfx {

/// x += the sinusoidal table's column of each token's place in its sequence.
template <class Real>
void add_sinusoidal_positions(arma::Mat<Real>& x, const Sequences& sequences);

/// A learned vector for every place.
template <class Real>
struct LearnedPositions {
  Matrix<Real> table; ///< d_model × max_len; (max_len, d_model) in files

  LearnedPositions() = default;
  LearnedPositions(std::size_t d_model, std::size_t max_len) : table(d_model, max_len, arma::fill::zeros) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    visit(join_names(prefix, "weight"), layers.table...);
  }
};

/// x += the layer's column of each place. Throws Error(bad_data) where a sequence is longer than the table.
template <class Real>
void add_positions(arma::Mat<Real>& x, const Sequences& sequences, const LearnedPositions<Real>& layer);

} // namespace tfx
