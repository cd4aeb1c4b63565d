#pragma once
// The tensors of a safetensors file (https://huggingface.co/docs/safetensors), read and written: 8 bytes hold
// the header's size (little endian), a JSON header names every tensor with its dtype, shape and byte range,
// and the tensors follow one after the other. Files that a training writes have a checksum too, two keys in
// the metadata ("sealed": "tfx-1" and "crc32": "89abcdef", the CRC32 of all bytes with these eight digits
// taken as 00000000), so that a bit that flips anywhere is found. Other programs read such a file as any
// other; what they save again has no checksum, and is taken as it is.

#include "core/tensor.hpp"
#include "io/array.hpp"
#include "io/safetensors_header.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

struct Safetensors {
  std::map<std::string, std::string> metadata; ///< the member "__metadata__"
  std::vector<NamedArray> tensors;             ///< in the order of their bytes
};

/// Every tensor of a file, F64 F32 F16 BF16, integers and BOOL as doubles. Nothing is allocated before the
/// header has proved its sizes against the file's; `name` is the file's name in messages. Throws
/// Error(bad_data) with the byte or the tensor that is wrong, Error(no_memory) where the values do not fit.
Safetensors read_safetensors(std::string_view bytes, const std::string& name);

/// The cells of one tensor of the file `bytes`, whose header has been parsed. Throws Error(bad_data) where a
/// double cannot hold an integer.
std::vector<double> read_safetensors_values(std::string_view bytes, const SafetensorsHeader& header,
                                            const SafetensorsHeader::StoredTensor& entry,
                                            const std::string& name);

/// The same cells in pieces, in their order.
void each_safetensors_piece(std::string_view bytes, const SafetensorsHeader& header,
                            const SafetensorsHeader::StoredTensor& entry, const std::string& name,
                            const TakePiece& take);

/// A tensor to be written, as F16, BF16, F32 or F64.
struct SafetensorsEntry {
  std::string name;
  const Tensor* values;
  DType dtype = DType::f32;
};

/// The bytes of a file with these tensors in this order; the tensors start at a multiple of 8 bytes.
/// Throws Error(internal) where two entries share a name, a name is no UTF-8, or a dtype is none of these,
/// and Error(bad_data) where a finite value is too large for it.
std::string write_safetensors(const std::vector<SafetensorsEntry>& entries,
                              const std::map<std::string, std::string>& metadata = {});

/// The metadata of a file with a checksum; write_checksum fills in the digits.
std::map<std::string, std::string> checksum_metadata();

/// Writes the digits into the bytes of a file whose metadata hold checksum_metadata(). Throws Error(internal)
/// where they do not.
void write_checksum(std::string& bytes);

/// Throws Error(bad_data) where a file with a checksum has changed, or has only one of the two keys. `name`
/// is the file's name in messages.
void verify_checksum(std::string_view bytes, const SafetensorsHeader& header, const std::string& name);

} // namespace tfx
