#pragma once
// Numbers as files store them, to and from doubles.

#include "io/array.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// Called with the position of a value among the values, and the value in digits; throws.
using RefuseValue = std::function<void(std::size_t position, const std::string& value)>;

/// The values that `bytes` hold as `dtype`, one after the other. `refuse` is called where a double cannot
/// hold an integer (beyond ±2^53), and where a bool is not 0 or 1.
std::vector<double> decode_values(std::string_view bytes, DType dtype, std::endian order,
                                  const RefuseValue& refuse);

/// Called with values in the order of the file, some thousand at a time.
using TakePiece = std::function<void(const std::vector<double>&)>;

/// The same in pieces: for what looks at each value once and has no room for all of them.
void decode_in_pieces(std::string_view bytes, DType dtype, std::endian order, const RefuseValue& refuse,
                      const TakePiece& take);

/// Appends the values as `dtype`, little endian: f64, f32 and f16 (rounded to nearest), or whole numbers as
/// i64 and boolean.
void append_values(std::string& bytes, const std::vector<double>& values, DType dtype);

/// At most 8 bytes as a whole number, the lowest first.
std::uint64_t little_endian(std::string_view bytes);

} // namespace tfx
