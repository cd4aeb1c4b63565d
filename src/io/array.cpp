#include "io/array.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace tfx {

namespace {

/// IEEE 754 binary16, exact.
double half_to_double(std::uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
  double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) value = fraction ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL;
  return bits & 0x8000 ? -value : value;
}

/// The nearest number of 16 bits with so many bits of fraction, of two the one whose last bit is 0: binary16
/// has 10, its exponent's bias is 15; bfloat16 has 7, and float32's bias 127.
template <int fraction_bits, int bias>
std::uint16_t in_16_bits(double value) {
  constexpr int infinity = (2 * bias + 1) << fraction_bits;
  const double too_large = std::ldexp(2 - std::ldexp(1.0, -fraction_bits - 1), bias);
  const double smallest_normal = std::ldexp(1.0, 1 - bias), size = std::abs(value);
  int bits = infinity;
  if (std::isnan(value))
    bits |= 1 << (fraction_bits - 1);
  else if (size < smallest_normal)
    bits = static_cast<int>(std::nearbyint(std::ldexp(size, bias - 1 + fraction_bits)));
  else if (size < too_large) { // a fraction that is rounded up to 2 carries into the exponent
    const int exponent = std::ilogb(size);
    bits = (exponent + bias - 1) * (1 << fraction_bits) +
           static_cast<int>(std::nearbyint(std::ldexp(size, fraction_bits - exponent)));
  }
  return static_cast<std::uint16_t>(bits | (std::signbit(value) ? 0x8000 : 0));
}

/// The upper half of a float32, exact.
double bfloat_to_double(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}

template <class Stored>
using Raw = std::array<char, sizeof(Stored)>;

template <class Stored>
Raw<Stored> reversed(Raw<Stored> raw) {
  std::reverse(raw.begin(), raw.end());
  return raw;
}

/// `convert(stored, i)` for every value that the bytes hold.
template <class Stored, class Convert>
std::vector<double> decode_as(std::string_view bytes, std::endian order, const Convert& convert) {
  std::vector<double> values(bytes.size() / sizeof(Stored));
  const auto raw = [&](std::size_t i) {
    Raw<Stored> stored;
    std::memcpy(stored.data(), bytes.data() + i * sizeof(Stored), sizeof(Stored));
    return stored;
  };
  if (order == std::endian::native)
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = convert(std::bit_cast<Stored>(raw(i)), i);
  else
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = convert(std::bit_cast<Stored>(reversed<Stored>(raw(i))), i);
  return values;
}

/// `convert(value)` as it is stored.
template <class Stored, class Convert>
void append_as(std::string& bytes, const std::vector<double>& values, const Convert& convert) {
  for (const double value : values) {
    auto raw = std::bit_cast<Raw<Stored>>(convert(value));
    if constexpr (std::endian::native == std::endian::big) raw = reversed<Stored>(raw);
    bytes.append(raw.data(), raw.size());
  }
}

template <class Stored>
void append_as(std::string& bytes, const std::vector<double>& values) {
  append_as<Stored>(bytes, values, [](double value) { return static_cast<Stored>(value); });
}

} // namespace

std::vector<double> decode_values(std::string_view bytes, DType dtype, std::endian order,
                                  const RefuseValue& refuse) {
  const auto plain = [](auto stored, std::size_t) { return static_cast<double>(stored); };
  const auto half = [](std::uint16_t bits, std::size_t) { return half_to_double(bits); };
  const auto bfloat = [](std::uint16_t bits, std::size_t) { return bfloat_to_double(bits); };
  const auto exact = [&](auto stored, std::size_t i) {
    constexpr std::int64_t largest = std::int64_t{1} << std::numeric_limits<double>::digits;
    if (std::cmp_greater(stored, largest) || std::cmp_less(stored, -largest))
      refuse(i, std::to_string(stored));
    return static_cast<double>(stored);
  };
  const auto truth = [&](std::uint8_t stored, std::size_t i) {
    if (stored > 1) refuse(i, std::to_string(stored));
    return static_cast<double>(stored);
  };
  switch (dtype) {
  case DType::f16: return decode_as<std::uint16_t>(bytes, order, half);
  case DType::f32: return decode_as<float>(bytes, order, plain);
  case DType::f64: return decode_as<double>(bytes, order, plain);
  case DType::i8: return decode_as<std::int8_t>(bytes, order, plain);
  case DType::i16: return decode_as<std::int16_t>(bytes, order, plain);
  case DType::i32: return decode_as<std::int32_t>(bytes, order, plain);
  case DType::i64: return decode_as<std::int64_t>(bytes, order, exact);
  case DType::u8: return decode_as<std::uint8_t>(bytes, order, plain);
  case DType::u16: return decode_as<std::uint16_t>(bytes, order, plain);
  case DType::u32: return decode_as<std::uint32_t>(bytes, order, plain);
  case DType::u64: return decode_as<std::uint64_t>(bytes, order, exact);
  case DType::boolean: return decode_as<std::uint8_t>(bytes, order, truth);
  case DType::bf16: return decode_as<std::uint16_t>(bytes, order, bfloat);
  }
  return {}; // coverage: there is no other type
}

void decode_in_pieces(std::string_view bytes, DType dtype, std::endian order, const RefuseValue& refuse,
                      const TakePiece& take) {
  constexpr std::size_t values = std::size_t{1} << 16;
  for (std::size_t first = 0; first * size_of(dtype) < bytes.size(); first += values) {
    const RefuseValue there = [&](std::size_t i, const std::string& value) { refuse(first + i, value); };
    take(decode_values(bytes.substr(first * size_of(dtype), values * size_of(dtype)), dtype, order, there));
  }
}

void append_values(std::string& bytes, const std::vector<double>& values, DType dtype) {
  switch (dtype) {
  case DType::f16: return append_as<std::uint16_t>(bytes, values, in_16_bits<10, 15>);
  case DType::bf16: return append_as<std::uint16_t>(bytes, values, in_16_bits<7, 127>);
  case DType::f32: return append_as<float>(bytes, values);
  case DType::i64: return append_as<std::int64_t>(bytes, values);
  case DType::boolean: return append_as<std::uint8_t>(bytes, values);
  default: return append_as<double>(bytes, values);
  }
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

} // namespace tfx
