#pragma once
// Draws for training data, one after another from the numbers of a RandomStream: whole numbers below a bound.

#include "random/stream.hpp"

#include <cstdint>

namespace tfx {

class DataStream {
public:
  explicit DataStream(const RandomStream& stream) : stream_(stream) {}

  /// The next draw: 0 … bound − 1, each as likely (to bound / 2³²).
  std::size_t below(std::size_t bound) {
    return static_cast<std::size_t>(stream_.uniform(index_++) * static_cast<double>(bound));
  }

private:
  RandomStream stream_;
  std::uint64_t index_ = 0;
};

} // namespace tfx
