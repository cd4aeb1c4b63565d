#pragma once
// Python's module random, bit for bit: what random.seed(n), an integer, and the calls after it give. microgpt
// draws by it, so its run appears here as in its blog.
//
// Whole numbers and shuffles are equal everywhere. gauss goes through log, sqrt, cos and sin of the C
// library, as Python does: a libm that rounds them otherwise gives both of them another last bit.
//
// Source: CPython's Lib/random.py and Modules/_randommodule.c; Matsumoto & Nishimura 2002 (init_by_array).

#include "random/mersenne_twister.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace tfx {

class PythonRandom {
public:
  /// random.seed(seed)
  explicit PythonRandom(std::uint64_t seed);

  /// random.random()
  double random() { return draw_53_bits(engine_); }

  /// random.getrandbits(count), 0 to 64 bits
  std::uint64_t bits(int count);

  /// random.randrange(bound), bound ≥ 1
  std::uint64_t below(std::uint64_t bound);

  /// random.gauss(mean, deviation). They come in pairs; the second waits for the next call.
  double gauss(double mean, double deviation);

  /// random.choices(range(n), weights)[0]: the weights, at least one, are not negative and their sum is
  /// positive.
  std::size_t choose(const std::vector<double>& weights);

  /// random.shuffle(values)
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i-- > 1;) {
      using std::swap;
      swap(values[i], values[below(i + 1)]);
    }
  }

private:
  MersenneTwister engine_;
  std::optional<double> waiting_; ///< the second number of a pair, of mean 0 and deviation 1
};

} // namespace tfx
