#pragma once
// safetensors files made by hand, byte for byte.

#include "io/safetensors.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace tfx {

/// The numbers as they stand in memory.
template <class... Numbers>
inline std::string bytes_of(Numbers... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}

/// A file of this header and data; the size field is right.
inline std::string file_of(const std::string& header, const std::string& data = {}) {
  return bytes_of(std::uint64_t{header.size()}) + header + data;
}

/// A tensor of the header.
inline std::string member(const std::string& name, const std::string& dtype, const std::string& shape,
                          std::size_t begin, std::size_t end) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, dtype, shape, begin,
                     end);
}

inline Safetensors parsed(std::string_view bytes) {
  return read_safetensors(bytes, "x.safetensors");
}

/// A file with names, metadata, both precisions, a scalar and an empty tensor.
inline std::string sample() {
  const Tensor wide({2, 3}, {1, -2.5, 3e100, -0.0, std::numeric_limits<double>::infinity(), 5e-324});
  const Tensor narrow(Shape{3}, {0.5, -1, 3}), scalar(Shape{}, {7}), empty(Shape{0, 4});
  return write_safetensors(
      {{"encoder.0.W_Q", &wide, DType::f64}, {"b", &narrow}, {"猫", &scalar}, {"empty", &empty}},
      {{"format", "pt"}, {"note", "two\nlines"}});
}

} // namespace tfx
