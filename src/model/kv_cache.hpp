#pragma once
// What a decoder keeps between two tokens, so that a step computes one position and not the whole prefix.
//
//   self-attention    K, V of every position so far: they depend on no later token, so they stay
//   cross-attention   K, V of the memory: the same at every step, so they are computed once
//   Q                 of a position is used once, for that position, and not kept
//
// The rows of a cache are targets that grow together, a token a step. A row may leave (it has ended) or fork
// (a beam goes on in two ways). Source: Vaswani et al. 2017, section 3.1, the auto-regressive decoder.

#include "model/encoder_decoder.hpp"

#include <vector>

namespace tfx {

/// How much a cache has room for; the memory is taken once.
struct CacheRoom {
  std::size_t tokens = 0; ///< positions of a row
  std::size_t rows = 0;   ///< rows that live at the same time
};

/// The keys and values that a query of one row sees, d_model × keys each.
template <class Real>
struct KeysAndValues {
  MatrixView<const Real> k, v;
  const std::uint8_t* valid = nullptr; ///< one a key, 0 for padding; nullptr: all valid
};

template <class Real>
class DecoderCache {
public:
  /// A row for every source, without a token yet; computes K and V of the memory for every layer. Throws
  /// Error(bad_data) where the model takes fewer tokens than `room` is for, Error(no_memory).
  DecoderCache(const EncoderDecoder<Real>& model, const Tokens<Real>& memory, const CacheRoom& room);

  std::size_t rows() const { return rows_.size(); }
  std::size_t tokens() const { return tokens_; } ///< of every row
  const CacheRoom& room() const { return room_; }

  /// Bytes of the keys and values in it: sizeof(Real)·2·layers·d_model·(tokens of rows and of sources).
  std::uint64_t bytes() const;

  KeysAndValues<Real> self(std::size_t layer, std::size_t row) const; ///< the position being written included
  KeysAndValues<Real> cross(std::size_t layer, std::size_t row) const;

  /// K and V of the next position in `layer`, a column a row.
  void write(std::size_t layer, const arma::Mat<Real>& k, const arma::Mat<Real>& v);
  /// All layers have been written.
  void advance() { ++tokens_; }

  /// New row i is old row `from[i]`: what is not named leaves, what is named twice forks. At most
  /// room().rows.
  void keep(const std::vector<std::size_t>& from);

private:
  struct LayerCache {
    arma::Mat<Real> self_k, self_v;   ///< d_model × (room().rows · room().tokens)
    arma::Mat<Real> cross_k, cross_v; ///< d_model × tokens of all sources
  };
  struct CacheRow {
    std::size_t source = 0, slot = 0; ///< slot: which room().tokens columns of self_k and self_v
  };

  void copy_slot(std::size_t to, std::size_t from);

  CacheRoom room_;
  Sequences sources_;
  std::vector<LayerCache> layers_;
  std::vector<CacheRow> rows_;
  std::size_t tokens_ = 0;
};

/// `tokens`, one a row, stand at position cache.tokens() → the decoder's output there, d_model × rows. Equal
/// to the last columns of decode() on the whole rows. Throws Error(bad_data) where the cache is full, the
/// number of tokens is not that of the rows, or an id is not in the vocabulary.
template <class Real>
arma::Mat<Real> decode_step(const EncoderDecoder<Real>& model, DecoderCache<Real>& cache,
                            const std::vector<std::uint32_t>& tokens);

} // namespace tfx
