#pragma once
// What a search asks the model, step by step: how probable is each token as the next one of each row?
//
// Two ways give the same numbers: with the keys and values of all earlier positions kept
// (model/kv_cache.hpp), or with the whole prefix computed again.

#include "model/kv_cache.hpp"

#include <optional>

namespace tfx {

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
