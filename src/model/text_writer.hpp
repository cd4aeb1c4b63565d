#pragma once
// A decoder that goes on with a text, a token at a time, its keys and values kept. Past the model's context
// it reads the last half of that anew and goes on from there, so a text may be of any length.

#include "model/kv_cache.hpp"

#include <optional>
#include <vector>

namespace tfx {

template <class Real>
class TextWriter {
public:
  /// `begun`: the start and what is written already, at least one token. The model has to outlive it. Throws
  /// Error(bad_data) where the model has an encoder or an id is not in the vocabulary, Error(no_memory).
  TextWriter(const Transformer<Real>& model, TokenIds begun);

  /// log p of every token as the next one.
  const std::vector<double>& next() const { return next_; }
  void write(std::uint32_t token);

  const TokenIds& written() const { return written_; }
  /// Whether the context has moved over the text, so that its beginning is no longer read.
  bool has_slid() const { return begin_ > 0; }

private:
  void read(std::size_t from);

  const Transformer<Real>* model_;
  TokenIds written_;
  std::size_t begin_ = 0; ///< the first token that is read
  std::optional<NextToken<Real>> state_;
  std::vector<double> next_;
};

} // namespace tfx
