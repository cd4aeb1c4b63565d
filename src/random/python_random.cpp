#include "random/python_random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

namespace tfx {

namespace {

/// The generator's state from a key of 32-bit words, in the form in which std's engines take one.
class InitByArray {
public:
  using result_type = std::uint32_t;

  explicit InitByArray(std::vector<std::uint32_t> key) : key_(std::move(key)) {}

  template <class Words>
  void generate(Words first, Words last) {
    const auto size = static_cast<std::size_t>(last - first);
    const auto mixed = [&](std::size_t i, std::uint32_t factor) {
      const std::uint32_t before = first[i - 1];
      return static_cast<std::uint32_t>(first[i]) ^ ((before ^ before >> 30) * factor);
    };
    first[0] = 19650218u;
    for (std::size_t i = 1; i < size; ++i) {
      const std::uint32_t before = first[i - 1];
      first[i] = 1812433253u * (before ^ before >> 30) + static_cast<std::uint32_t>(i);
    }
    std::size_t i = 1;
    const auto advance = [&] {
      if (++i < size) return;
      first[0] = first[size - 1];
      i = 1;
    };
    for (std::size_t k = 0, j = 0; k < std::max(size, key_.size()); ++k, j = (j + 1) % key_.size()) {
      first[i] = mixed(i, 1664525u) + key_[j] + static_cast<std::uint32_t>(j);
      advance();
    }
    for (std::size_t k = 1; k < size; ++k) {
      first[i] = mixed(i, 1566083941u) - static_cast<std::uint32_t>(i);
      advance();
    }
    first[0] = 0x80000000u;
  }

private:
  std::vector<std::uint32_t> key_;
};

std::vector<std::uint32_t> words_of(std::uint64_t seed) {
  std::vector<std::uint32_t> words{static_cast<std::uint32_t>(seed)};
  if (seed >> 32) words.push_back(static_cast<std::uint32_t>(seed >> 32));
  return words;
}

MersenneTwister seeded(std::uint64_t seed) {
  InitByArray state(words_of(seed));
  return MersenneTwister(state);
}

} // namespace

PythonRandom::PythonRandom(std::uint64_t seed) : engine_(seeded(seed)) {}

std::uint64_t PythonRandom::bits(int count) {
  if (count == 0) return 0;
  if (count <= 32) return engine_() >> (32 - count);
  const std::uint64_t low = engine_(); // the low word comes first
  return low | static_cast<std::uint64_t>(engine_() >> (64 - count)) << 32;
}

std::uint64_t PythonRandom::below(std::uint64_t bound) {
  const int width = static_cast<int>(std::bit_width(bound));
  std::uint64_t value = bits(width);
  while (value >= bound) value = bits(width);
  return value;
}

double PythonRandom::gauss(double mean, double deviation) {
  if (!waiting_) {
    const double angle = random() * (2 * std::numbers::pi);
    const double radius = std::sqrt(-2.0 * std::log(1.0 - random()));
    waiting_ = std::sin(angle) * radius;
    return mean + std::cos(angle) * radius * deviation;
  }
  return mean + *std::exchange(waiting_, std::nullopt) * deviation;
}

std::size_t PythonRandom::choose(const std::vector<double>& weights) {
  std::vector<double> sums(weights.size());
  std::partial_sum(weights.begin(), weights.end(), sums.begin());
  const auto found = std::upper_bound(sums.begin(), sums.end() - 1, random() * sums.back());
  return static_cast<std::size_t>(found - sums.begin());
}

} // namespace tfx
