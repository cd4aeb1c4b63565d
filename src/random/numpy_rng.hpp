#pragma once
// NumPy's legacy random stream, bit for bit: what np.random.seed(n) or np.random.RandomState(n) and the calls
// after it give. The tutorials seed it, so the same numbers appear here as in their notebooks.
//
// Integers are equal everywhere. randn goes through log() and sqrt() of the C library, as NumPy does: a libm
// that rounds log() otherwise gives both of them another last bit.
//
// Source: Marsaglia & Bray 1964 (polar method); numpy.random.RandomState.

#include "core/tensor.hpp"
#include "random/mersenne_twister.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tfx {

/// Whether `NumpyRandom::choice` may take the same number twice: NumPy's replace=True and replace=False.
enum class Replace { yes, no };

class NumpyRandom {
public:
  /// np.random.seed(seed), an integer in [0, 2³²).
  explicit NumpyRandom(std::uint32_t seed) : engine_(seed) {}

  /// One number in [0, 1) with 53 random bits: np.random.rand(), random_sample(), random().
  double rand() { return draw_53_bits(engine_); }
  double random_sample() { return rand(); }

  /// One number in [low, high). Throws Error(usage) where high - low is not finite.
  double uniform(double low, double high);

  /// One number of the standard normal distribution. They come in pairs; the second one waits for the next
  /// call, whatever is drawn between the two.
  double randn();

  /// One integer in [low, high), or in [0, high). Throws Error(usage) where that range is empty.
  std::int64_t randint(std::int64_t high) { return randint(0, high); }
  std::int64_t randint(std::int64_t low, std::int64_t high);

  /// Tensors of such numbers, filled in C order: the same draws as so many single calls. A cast to float32 is
  /// the caller's: static_cast<float> rounds as astype(np.float32) does.
  Tensor rand(const Shape& shape);
  Tensor random_sample(const Shape& shape) { return rand(shape); }
  Tensor uniform(double low, double high, const Shape& shape);
  Tensor randn(const Shape& shape);
  /// Integers beyond ±2⁵³ are rounded to a double, as astype(np.float64) does.
  Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape);

  /// Puts the values in random order.
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i-- > 1;) {
      const std::size_t j = draw_up_to(i);
      if (i != j) std::swap(values[i], values[j]);
    }
  }

  /// 0 … n-1 in random order.
  std::vector<std::int64_t> permutation(std::size_t n);

  /// `size` of the numbers 0 … n-1. Throws Error(usage) where there are not enough of them to take.
  std::vector<std::int64_t> choice(std::size_t n, std::size_t size, Replace replace);

private:
  std::uint64_t draw_up_to(std::uint64_t last);

  MersenneTwister engine_;
  std::optional<double> waiting_; ///< the second normal of a pair
};

} // namespace tfx
