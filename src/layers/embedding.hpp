#pragma once
// What a token is and where it stands: the row of the embedding's table times √d_model, to which its place in
// the sequence is added, by sines and cosines, which are computed, or by a table that is learned.

#include "layers/parameters.hpp"
#include "layers/tokens.hpp"

#include <cstdint>
#include <vector>

namespace tfx {

template <class Real>
struct Embedding {
  Matrix<Real> lut; ///< d_model × vocab; (vocab, d_model) in files

  Embedding() = default;
  Embedding(std::size_t d_model, std::size_t vocab) : lut(d_model, vocab, arma::fill::zeros) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    visit(join_names(prefix, "lut.weight"), layers.lut...);
  }
};

/// Rows of the table times `scale` → d_model × n. Throws Error(bad_data) where an id is not below the
/// vocabulary's size.
template <class Real>
arma::Mat<Real> forward(const Embedding<Real>& layer, const std::vector<std::uint32_t>& ids,
                        std::type_identity_t<Real> scale);

/// Backward: column ids[t] of d lut += scale·dy's column t.
template <class Real>
void backward(const Trainable<Embedding<Real>>& embedding, const std::vector<std::uint32_t>& ids,
              const arma::Mat<Real>& dy, std::type_identity_t<Real> scale);

/// x += the sinusoidal table's column of each token's place.
template <class Real>
void add_sinusoidal_positions(arma::Mat<Real>& x, const Sequences& sequences, const Places& places);

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
void add_positions(arma::Mat<Real>& x, const Sequences& sequences, const Places& places,
                   const LearnedPositions<Real>& layer);

/// Backward: each column of d table += dy's columns of the tokens at that place; sequences begin at 0.
template <class Real>
void positions_backward(LearnedPositions<Real>& gradient, const Sequences& sequences,
                        const arma::Mat<Real>& dy);

} // namespace tfx
