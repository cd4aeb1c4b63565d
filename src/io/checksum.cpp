#include "io/checksum.hpp"

#include "core/error.hpp"
#include "io/message.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>

namespace tfx {

namespace {

constexpr const char *marker_key = "sealed", *marker = "tfx-1", *crc_key = "crc32", *no_digits = "00000000";
constexpr std::string_view before_digits = "\"crc32\":\"";
constexpr std::size_t digits = 8;

/// Where the digits stand; npos where the header has none.
std::size_t place_of_digits(std::string_view header) {
  const std::size_t found = header.find(before_digits);
  return found == std::string_view::npos || found + before_digits.size() + digits > header.size()
             ? std::string_view::npos
             : found + before_digits.size();
}

std::uint32_t add_to(std::uint32_t crc, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string crc_of(std::string_view bytes, std::size_t place) {
  std::uint32_t crc = add_to(0, bytes.substr(0, place));
  crc = add_to(crc, no_digits);
  return fmt::format("{:08x}", add_to(crc, bytes.substr(place + digits)));
}

} // namespace

std::map<std::string, std::string> checksum_metadata() {
  return {{marker_key, marker}, {crc_key, no_digits}};
}

void write_checksum(std::string& bytes) {
  const std::size_t place = place_of_digits(bytes);
  if (place == std::string::npos)
    throw defect("a file without checksum_metadata has no place for a checksum");
  bytes.replace(place, digits, crc_of(bytes, place));
}

void verify_checksum(std::string_view bytes, const SafetensorsHeader& header, const std::string& name) {
  const auto marked = header.metadata.find(marker_key), then = header.metadata.find(crc_key);
  const bool has_marker = marked != header.metadata.end(), has_crc = then != header.metadata.end();
  if (!has_marker && !has_crc) return;
  const auto refuse = [&](const Message& what) {
    refuse_file(name, what, said("the file is damaged; a training keeps the one before it as FILE.prev"));
  };
  if (has_marker != has_crc || marked->second != marker) refuse(said("the seal in the metadata is broken"));
  const std::size_t place = place_of_digits(bytes.substr(0, header.data_offset));
  if (place == std::string_view::npos || then->second != bytes.substr(place, digits))
    refuse(said("the seal in the metadata is broken"));
  const std::string crc = crc_of(bytes, place);
  if (crc != then->second)
    refuse(said("the file has changed: its CRC32 is {now}, it was written with {then}",
                {{"now", crc}, {"then", in_quotes(then->second)}}));
}

} // namespace tfx
