#pragma once
// What a search asks the model, step by step: how probable is each token as the next one of each row? The
// cache keeps K and V of all earlier positions and of the memory, none of which depends on a later token, so
// that a step computes one position; computing the whole prefix again gives the same numbers. The rows are
// targets that grow together, a token a step; a row may leave (it has ended) or fork (a beam goes on in two
// ways): Vaswani et al. 2017, section 3.1, the auto-regressive decoder.

#include "model/transformer.hpp"

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
  /// So many rows without a token yet, each beside the memory of its source if the model has an encoder,
  /// whose K and V are computed for every layer. Throws Error(bad_data) where the model takes fewer tokens
  /// than `room` is for, Error(no_memory).
  DecoderCache(const Transformer<Real>& model, Memory<Real> memory, std::size_t rows, const CacheRoom& room);

  std::size_t rows() const { return rows_.size(); }
  std::size_t tokens(std::size_t row) const { return rows_[row].tokens; }
  const CacheRoom& room() const { return room_; }

  /// Bytes of the keys and values in it: sizeof(Real)·2·layers·width·(tokens of rows and of sources).
  std::uint64_t bytes() const;

  /// The row's first `count` keys, those just written among them.
  KeysAndValues<Real> self(std::size_t layer, std::size_t row, std::size_t count) const;
  KeysAndValues<Real> cross(std::size_t layer, std::size_t row) const;

  /// K and V of the next positions in `layer`, a sequence a row.
  void write(std::size_t layer, const arma::Mat<Real>& k, const arma::Mat<Real>& v, const Sequences& fresh);
  /// All layers have been written.
  void advance(const Sequences& fresh);

  /// New row i is old row `from[i]`: what is not named leaves, what is named twice forks. At most
  /// room().rows.
  void keep(const std::vector<std::size_t>& from);

private:
  struct LayerCache {
    arma::Mat<Real> self_k, self_v;   ///< width × (room().rows · room().tokens)
    arma::Mat<Real> cross_k, cross_v; ///< width × tokens of all sources
  };
  struct CacheRow {
    std::size_t source = 0, slot = 0; ///< slot: which room().tokens columns of self_k and self_v
    std::size_t tokens = 0;
  };

  void copy_slot(std::size_t to, const CacheRow& from);

  CacheRoom room_;
  Sequences sources_; ///< none without an encoder
  std::vector<LayerCache> layers_;
  std::vector<CacheRow> rows_;
};

/// `fresh`, at least a token a row, follow what the cache has read, a whole prompt in one pass → the
/// decoder's output at each row's last token, d_model × rows. Equal to those columns of decode() on the whole
/// rows. Throws Error(bad_data) where the cache has no room for them, the number of rows is not the cache's,
/// or an id is not in the vocabulary.
template <class Real>
arma::Mat<Real> decode_step(const Transformer<Real>& model, DecoderCache<Real>& cache,
                            const std::vector<TokenIds>& fresh);

/// What stands before the first token to be written: the sources of an encoder-decoder, and the rows' own
/// first tokens; where there are none, DecodeLimits::start is the first (model/search.hpp).
struct Prompt {
  std::optional<Batch> src;
  std::vector<TokenIds> written;

  Prompt(const Batch& sources, std::vector<TokenIds> begun = {}) : src(sources), written(std::move(begun)) {}
  explicit Prompt(std::vector<TokenIds> begun) : written(std::move(begun)) {}

  std::size_t rows() const { return src ? src->sequences.count() : written.size(); }
};

/// cached: a step computes one position. recomputed: a step computes the whole prefix.
enum class Prefix { cached, recomputed };

template <class Real>
class NextToken {
public:
  /// Encodes the sources if there are any; rows have no token yet. At most `room.rows` rows live at a time,
  /// of `room.tokens` tokens. The model has to outlive it. Throws what encode and DecoderCache throw.
  NextToken(const Transformer<Real>& model, const Prompt& prompt, const CacheRoom& room, Prefix prefix);

  std::size_t rows() const { return cache_ ? cache_->rows() : prefixes_.size(); }

  /// Appends tokens to every row, at least one → log-probabilities of the one after them, tgt_vocab × rows.
  /// Throws Error(bad_data) where a token is not in the vocabulary, there is no room, or a result is NaN.
  arma::Mat<Real> after(const std::vector<TokenIds>& tokens);
  /// The same with one token a row.
  arma::Mat<Real> after(const TokenIds& tokens);

  /// New row i is old row `from[i]`, as DecoderCache::keep.
  void keep(const std::vector<std::size_t>& from);

  /// Of the keys and values kept; 0 where the prefix is recomputed.
  std::uint64_t cache_bytes() const { return cache_ ? cache_->bytes() : 0; }

private:
  /// Every live row's source, one after another.
  struct Sources {
    arma::Mat<Real> memory;
    Sequences sequences;
  };

  Memory<Real> memory() const;
  arma::Mat<Real> recompute(const std::vector<TokenIds>& tokens);

  const Transformer<Real>& model_;
  std::optional<Sources> sources_;
  std::optional<DecoderCache<Real>> cache_;
  std::vector<TokenIds> prefixes_; ///< without a cache
};

} // namespace tfx
