#pragma once
// A seal on the safetensors files that a training writes: two keys in the metadata, a marker of the format
// and the CRC32 of the whole file. A bit that flips anywhere, in a number, a name or the seal itself, is
// found when the file is read. Other programs read the file as any other; what they save again has no seal,
// and is taken as it is.
//
//   "sealed": "tfx-1"      "crc32": "89abcdef"     of all bytes, these eight digits taken as 00000000

#include "io/safetensors_header.hpp"

#include <map>
#include <string>
#include <string_view>

namespace tfx {

/// The metadata of a file to be sealed; `seal` fills the digits in.
std::map<std::string, std::string> seal_metadata();

/// Writes the CRC into the bytes of a file whose metadata are seal_metadata() and more.
void seal(std::string& bytes);

/// Throws Error(bad_data) where a file that is sealed has changed, or has only one of the two keys.
void require_whole(std::string_view bytes, const SafetensorsHeader& header, const std::string& name);

} // namespace tfx
