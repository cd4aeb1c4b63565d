#pragma once
// The checksum of the safetensors files that a training writes: two keys in the metadata, a marker of the
// format and the CRC32 of the whole file. A bit that flips anywhere, in a number, a name or the checksum
// itself, is found when the file is read. Other programs read the file as any other; what they save again has
// no checksum, and is taken as it is.
//
//   "sealed": "tfx-1"      "crc32": "89abcdef"     of all bytes, these eight digits taken as 00000000

#include "io/safetensors_header.hpp"

#include <map>
#include <string>
#include <string_view>

namespace tfx {

/// The metadata of a file with a checksum; write_checksum fills in the digits.
std::map<std::string, std::string> checksum_metadata();

/// Writes the digits into the bytes of a file whose metadata hold checksum_metadata(). Throws Error(internal)
/// where they do not.
void write_checksum(std::string& bytes);

/// Throws Error(bad_data) where a file with a checksum has changed, or has only one of the two keys. `name`
/// is the file's name in messages.
void verify_checksum(std::string_view bytes, const SafetensorsHeader& header, const std::string& name);

} // namespace tfx
