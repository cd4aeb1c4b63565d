#pragma once
// The header of a safetensors file: what it says about the tensors, proved against the size of the file.

#include "io/array.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// Bytes at the start of the file that hold the header's size.
constexpr std::size_t safetensors_size_field = 8;

/// The member of the header that is no tensor.
constexpr std::string_view safetensors_metadata_key = "__metadata__";

struct SafetensorsHeader {
  /// A tensor as the header describes it.
  struct StoredTensor {
    std::string name;
    DType dtype = DType::f32;
    std::string other = {}; ///< "F8_E4M3": a dtype that tfx does not read; then dtype says nothing
    Shape shape;
    std::size_t begin = 0, end = 0; ///< bytes of the data, which follow the header

    std::size_t bytes() const { return end - begin; }
  };

  std::map<std::string, std::string> metadata;
  std::vector<StoredTensor> entries; ///< in the order of their bytes, which fill the data without a hole
  std::size_t data_offset = 0;       ///< where the data start, in bytes
};

/// Refuses a tensor whose dtype tfx does not read.
[[noreturn]] void refuse_dtype(const SafetensorsHeader::StoredTensor& tensor, const std::string& name);

/// The header of the whole file `bytes`. Every shape and byte range in it is proved; nothing is allocated but
/// the header itself. `name` is the file's name in messages. Throws Error(bad_data) with the byte or the
/// tensor that is wrong.
SafetensorsHeader parse_safetensors_header(std::string_view bytes, const std::string& name);

} // namespace tfx
