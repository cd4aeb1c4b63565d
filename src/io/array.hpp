#pragma once
// An array as a file stores it: its values as doubles in C order, and the type the file gave them.

#include "core/tensor.hpp"

#include <cstddef>
#include <string>

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

} // namespace tfx
