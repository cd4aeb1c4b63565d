#pragma once
// What a search asks the model, step by step: how probable is each token as the next one of each row? The
// cache keeps K and V of all earlier positions and of the memory, none of which depends on a later token, so
// that a step computes one position; computing the whole prefix again gives the same numbers. The rows are
// targets that grow together, a token a step; a row may leave (it has ended) or fork (a beam goes on in two
// ways): Vaswani et al. 2017, section 3.1, the auto-regressive decoder.

#include "model/encoder_decoder.hpp"

#include <optional>
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

/// cached: a step computes one position. recomputed: a step computes the whole prefix.
enum class Prefix { cached, recomputed };

template <class Real>
class NextToken {
public:
  /// Encodes the sources, a row each; rows have no token yet. At most `room.rows` rows live at a time, of
  /// `room.tokens` tokens. The model has to outlive it. Throws what encode and DecoderCache throw.
  NextToken(const EncoderDecoder<Real>& model, const Batch& src, const CacheRoom& room, Prefix prefix);

  std::size_t rows() const { return cache_ ? cache_->rows() : prefixes_.size(); }

  /// Appends a token to every row → log-probabilities of the one after it, tgt_vocab × rows. Throws
  /// Error(bad_data) where a token is not in the vocabulary, there is no room, or a result is NaN.
  arma::Mat<Real> after(const TokenIds& tokens);

  /// New row i is old row `from[i]`, as DecoderCache::keep.
  void keep(const std::vector<std::size_t>& from);

  /// Of the keys and values kept; 0 where the prefix is recomputed.
  std::uint64_t cache_bytes() const { return cache_ ? cache_->bytes() : 0; }

private:
  /// Every live row's source, one after another.
  struct Memory {
    arma::Mat<Real> values;
    Sequences sequences;
  };

  arma::Mat<Real> recompute(const TokenIds& tokens);

  const EncoderDecoder<Real>& model_;
  Memory memory_;
  std::optional<DecoderCache<Real>> cache_;
  std::vector<TokenIds> prefixes_; ///< without a cache
};

} // namespace tfx
