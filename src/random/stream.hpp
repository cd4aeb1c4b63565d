#pragma once
// Random numbers by their place, not by their turn: number `index` of stream `stream` at step `step` is a
// function of these and the seed. So dropout draws the same mask whatever the number of threads, backward
// draws it again instead of storing it, and a resumed training goes on where it stopped.
//
// Philox4x32-10: ten rounds of multiply and exchange turn a counter and a key into four words of 32 bits.
// Source: Salmon, Moraes, Dror, Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3".

#include <array>
#include <cstdint>
#include <string_view>

namespace tfx {

/// The four words of a counter under a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// A stream's number from its name ("encoder.layers.0.self_attn"): FNV-1a, so that adding a layer moves no
/// other's.
std::uint32_t stream_number(std::string_view name);

class RandomStream {
public:
  /// `index` runs to 2³⁴, `step` to 2⁶⁴.
  RandomStream(std::uint64_t seed, std::uint32_t stream, std::uint64_t step);

  /// Number `index`, in [0, 1), a multiple of 2⁻³². Neighbours come four from one block: in order they are
  /// cheap.
  double uniform(std::uint64_t index);

  /// The numbers first … first + count − 1 in 16 bits each, eight from one block: what dropout draws,
  /// millions a step. `first` runs to 2³⁵. Not to be mixed with uniform() in one stream: the bits are the
  /// same.
  void draw(std::uint64_t first, std::size_t count, std::uint16_t* numbers) const;

private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t stream_;
  std::uint64_t step_;
  std::uint64_t at_ = ~std::uint64_t{0}; ///< which block stands in words_
  std::array<std::uint32_t, 4> words_{};
};

} // namespace tfx
