#pragma once
// Vectors of tokens, a token a column, and the sequences of different lengths, one after another, to which
// the columns belong.

#include "core/shape.hpp"
#include "layers/parameters.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>
#include <vector>

namespace tfx {

struct Sequences {
  std::vector<std::size_t> offsets{0}; ///< sequence s has the columns offsets[s] … offsets[s + 1] − 1
  std::vector<std::uint8_t> valid;     ///< one a token, 0 for padding: never seen as a key; empty: all valid

  std::size_t count() const { return offsets.size() - 1; }
  std::size_t tokens() const { return offsets.back(); }
  std::size_t length(std::size_t s) const { return offsets[s + 1] - offsets[s]; }
  std::size_t longest() const {
    std::size_t max_length = 0;
    for (std::size_t s = 0; s < count(); ++s) max_length = std::max(max_length, length(s));
    return max_length;
  }

  /// The length that all of them have, if they have one.
  std::optional<std::size_t> common_length() const {
    for (std::size_t s = 1; s < count(); ++s)
      if (length(s) != length(0)) return std::nullopt;
    return count() ? std::optional(length(0)) : std::nullopt;
  }

  /// Which tokens of sequence s may be seen; nullptr: all.
  const std::uint8_t* valid_of(std::size_t s) const {
    return valid.empty() ? nullptr : valid.data() + offsets[s];
  }

  void append(std::size_t tokens_in_it) { offsets.push_back(offsets.back() + tokens_in_it); }
};

/// Where sequences stand: s begins at first[s], at 0 where nothing is said, and together they take the
/// positions begin … end − 1.
struct Places {
  std::vector<std::size_t> first;
  std::size_t begin = 0, end = 0;

  explicit Places(const Sequences& sequences, std::vector<std::size_t> begins = {})
      : first(std::move(begins)) {
    for (std::size_t s = 0; s < sequences.count(); ++s) {
      begin = s == 0 ? of(s) : std::min(begin, of(s));
      end = std::max(end, of(s) + sequences.length(s));
    }
  }

  std::size_t of(std::size_t s) const { return first.empty() ? 0 : first[s]; }
};

template <class Real>
struct Tokens {
  const arma::Mat<Real>& values; ///< d × tokens
  const Sequences& sequences;
};

/// The residual stream: every sublayer adds to it; backward, its gradient runs the other way.
template <class Real>
struct ResidualStream {
  arma::Mat<Real>& values; ///< d_model × tokens
  const Sequences& sequences;
};

} // namespace tfx
