#include "kernels/narrow.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

/// To the nearest, of two that are as near to the even one.
std::uint16_t bf16_of(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return static_cast<std::uint16_t>(bits >> 16 | 0x40U); // or rounding could make it infinite
  return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}

constexpr float largest_int8 = 127;

float scale_of(const float* row, std::size_t depth) {
  float largest = 0;
  for (std::size_t k = 0; k < depth; ++k) {
    if (!std::isfinite(row[k])) return std::numeric_limits<float>::quiet_NaN();
    largest = std::max(largest, std::abs(row[k]));
  }
  return largest / largest_int8;
}

/// Where a row's largest number is below 2⁻¹³⁵ its scale has so few digits that a quotient may be beyond 127.
std::int8_t int8_of(float quotient) {
  return static_cast<std::int8_t>(std::clamp(std::nearbyint(quotient), -largest_int8, largest_int8));
}

} // namespace

NarrowMatrix::NarrowMatrix(MatrixView<const float> weight, WeightType type)
    : type_(type), rows_(weight.cols), depth_(weight.rows) {
  assert(type != WeightType::f32);
  if (type == WeightType::bf16) {
    halves_.reserve(rows_ * depth_);
    for (std::size_t row = 0; row < rows_; ++row)
      for (std::size_t k = 0; k < depth_; ++k) halves_.push_back(bf16_of(weight(k, row)));
    return;
  }
  bytes_.reserve(rows_ * depth_);
  for (std::size_t row = 0; row < rows_; ++row) {
    const float scale = scale_of(weight.column(row), depth_);
    scales_.push_back(scale);
    for (std::size_t k = 0; k < depth_; ++k)
      bytes_.push_back(scale > 0 ? int8_of(weight(k, row) / scale) : 1);
    if (scale == 0) std::fill(bytes_.end() - static_cast<std::ptrdiff_t>(depth_), bytes_.end(), 0);
  }
}

std::uint64_t NarrowMatrix::bytes() const {
  return halves_.size() * sizeof(std::uint16_t) + bytes_.size() + scales_.size() * sizeof(float);
}

float NarrowMatrix::operator()(std::size_t row, std::size_t k) const {
  if (type_ == WeightType::int8) return static_cast<float>(int8_row(row)[k]) * scales_[row];
  return std::bit_cast<float>(std::uint32_t{bf16_row(row)[k]} << 16);
}

} // namespace tfx
