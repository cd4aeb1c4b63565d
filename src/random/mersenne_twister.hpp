#pragma once
// The generator of NumPy's legacy stream and of Python's random. Source: Matsumoto & Nishimura 1998
// (MT19937).

#include <cstdint>
#include <random>

namespace tfx {

// std::mt19937 in words of 32 bits: glibc's uint_fast32_t has 64, which costs a factor of almost 4.
using MersenneTwister =
    std::mersenne_twister_engine<std::uint32_t, 32, 624, 397, 31, 0x9908b0df, 11, 0xffffffff, 7, 0x9d2c5680,
                                 15, 0xefc60000, 18, 1812433253>;

/// A number in [0, 1) with 53 random bits, of two draws.
inline double draw_53_bits(MersenneTwister& engine) {
  const double high = engine() >> 5; // 27 bits
  const double low = engine() >> 6;  // 26 bits
  return (high * 0x1p26 + low) * 0x1p-53;
}

} // namespace tfx
