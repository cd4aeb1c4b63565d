#pragma once
// An array as a file stores it: its values as doubles in C order, the type that the file gave them, and how
// values of each type are read from bytes and written to them.

#include "core/tensor.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// The number types that npy and safetensors files hold. (npy has no bf16, tfx reads no other.)
enum class DType { f16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean, bf16 };

/// "float32", "int64", "bool", "bfloat16": as NumPy and PyTorch print them.
constexpr const char* name_of(DType dtype) {
  switch (dtype) {
  case DType::f16: return "float16";
  case DType::f32: return "float32";
  case DType::f64: return "float64";
  case DType::i8: return "int8";
  case DType::i16: return "int16";
  case DType::i32: return "int32";
  case DType::i64: return "int64";
  case DType::u8: return "uint8";
  case DType::u16: return "uint16";
  case DType::u32: return "uint32";
  case DType::u64: return "uint64";
  case DType::boolean: return "bool";
  case DType::bf16: return "bfloat16";
  }
  return "unknown"; // coverage: there is no other type
}

/// Bytes a value takes in a file.
constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
  case DType::i8:
  case DType::u8:
  case DType::boolean: return 1;
  case DType::f16:
  case DType::bf16:
  case DType::i16:
  case DType::u16: return 2;
  case DType::f32:
  case DType::i32:
  case DType::u32: return 4;
  case DType::f64:
  case DType::i64:
  case DType::u64: return 8;
  }
  return 0; // coverage: there is no other type
}

struct Array {
  DType dtype = DType::f64; ///< what the file says; the values below are doubles whatever it is
  Tensor values;
  std::string header = {}; ///< of a text table: its first line where it was taken as names of the columns
};

struct NamedArray {
  std::string name;
  Array array;
};

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

/// Appends the values as `dtype`, little endian: f64, f32, f16 and bf16 (rounded to nearest), or whole
/// numbers as i64 and boolean.
void append_values(std::string& bytes, const std::vector<double>& values, DType dtype);

/// At most 8 bytes as a whole number, the lowest first.
std::uint64_t little_endian(std::string_view bytes);

} // namespace tfx
