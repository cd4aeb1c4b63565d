#pragma once
// Weights in 16 or 8 bits, for decoding: a token reads every weight once, so what it waits for is bytes, not
// multiply-adds.
//
//   bf16   the upper half of a float: 8 bits of exponent, 7 of the fraction; each number within 2⁻⁸ of its
//          size (those below 2⁻¹²⁶ within 2⁻¹³⁴)
//   int8   row of d_in numbers: scale = max |w| / 127, then q = round(w / scale), from −127 to 127;
//          each number within scale / 2
//
// They are widened to float in registers, and every sum is one of floats. Source of int8 by rows: Dettmers et
// al. 2022, "LLM.int8()", section 2.1 (absmax, there of activations too).

#include "core/choices.hpp"
#include "core/view.hpp"

#include <cstdint>
#include <vector>

namespace tfx {

/// How the weights that a token reads stand in memory: `--dtype`.
enum class WeightType { f32, bf16, int8 };

inline const Choices<WeightType>& weight_types() {
  static const Choices<WeightType> all{
      {"f32", WeightType::f32}, {"bf16", WeightType::bf16}, {"int8", WeightType::int8}};
  return all;
}

/// The weight of a linear layer; rows as in a file, one an output.
class NarrowMatrix {
public:
  /// `weight` is d_in × d_out, `type` one of fewer bits. Numbers that are not finite make int8's row NaN, in
  /// bf16 they stay.
  NarrowMatrix(MatrixView<const float> weight, WeightType type);

  WeightType type() const { return type_; }
  std::size_t rows() const { return rows_; }   ///< d_out
  std::size_t depth() const { return depth_; } ///< d_in
  std::uint64_t bytes() const;                 ///< of the numbers and scales

  float operator()(std::size_t row, std::size_t k) const;

  const std::uint16_t* bf16_row(std::size_t row) const { return halves_.data() + row * depth_; }
  const std::int8_t* int8_row(std::size_t row) const { return bytes_.data() + row * depth_; }
  float scale(std::size_t row) const { return scales_[row]; } ///< of int8

private:
  WeightType type_;
  std::size_t rows_, depth_;
  std::vector<std::uint16_t> halves_; ///< bf16
  std::vector<std::int8_t> bytes_;    ///< int8
  std::vector<float> scales_;
};

} // namespace tfx
