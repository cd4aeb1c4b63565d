#pragma once
// The files that NumPy wrote (tools/reference/make_io.py), and what each holds by its name.

#include "io/array.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tfx {

inline const std::string numpy_files = TFX_SOURCE_DIR "/data/reference/io/";

struct Sample {
  DType dtype = DType::f64;
  Shape shape;
};

/// What a file holds, or an array of an archive, read off its name: "f4_2x3".
inline Sample sample_of(std::string stem) {
  static const std::vector<std::pair<std::string, DType>> codes = {
      {"f2_", DType::f16}, {"f4_", DType::f32}, {"f8_", DType::f64},    {"i4_", DType::i32},
      {"i8_", DType::i64}, {"u1_", DType::u8},  {"b1_", DType::boolean}};
  if (stem[0] == 'v') stem.erase(0, 3);
  Sample sample;
  for (const auto& [code, dtype] : codes)
    if (stem.starts_with(code)) sample.dtype = dtype;
  std::string extents = stem.substr(stem.rfind('_') + 1);
  if (extents == "scalar") return sample;
  for (std::size_t at = 0; at < extents.size(); at = extents.find('x', at) + 1) {
    sample.shape.push_back(std::stoul(extents.substr(at)));
    if (extents.find('x', at) == std::string::npos) break;
  }
  return sample;
}

/// Its cell i, by the rule of make_io.py.
inline double value_of(DType dtype, std::size_t i) {
  const auto x = static_cast<double>(i);
  switch (dtype) {
  case DType::i32:
  case DType::i64: return 1000 * x - 2000;
  case DType::u8: return static_cast<double>(7 * i % 256);
  case DType::boolean: return i % 3 == 0;
  default: return (x - 3) / 4;
  }
}

} // namespace tfx
