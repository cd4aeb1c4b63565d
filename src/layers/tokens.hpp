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

/// The positions begin … end − 1 that sequences take of which s begins at first[s], at 0 where nothing is
/// said.
struct Places {
  std::size_t begin = 0, end = 0;
};
inline Places places_of(const Sequences& sequences, const std::vector<std::size_t>& first) {
  Places places;
  for (std::size_t s = 0; s < sequences.count(); ++s) {
    const std::size_t begin = first.empty() ? 0 : first[s];
    places.begin = s == 0 ? begin : std::min(places.begin, begin);
    places.end = std::max(places.end, begin + sequences.length(s));
  }
  return places;
}

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
