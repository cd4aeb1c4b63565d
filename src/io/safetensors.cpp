#include "io/safetensors.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/array.hpp"
#include "io/json_writer.hpp"
#include "io/limits.hpp"
#include "io/message.hpp"
#include "io/safetensors_header.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

namespace tfx {

namespace {

[[noreturn]] void refuse_entry(const std::string& tensor, const std::string& why) {
  throw defect(fmt::format("the tensor {} cannot be written: {}", in_quotes(tensor), why));
}

/// Of a type that files are written with.
const char* written_name(DType dtype) {
  switch (dtype) {
  case DType::f16: return "F16";
  case DType::bf16: return "BF16";
  case DType::f32: return "F32";
  case DType::f64: return "F64";
  default: return nullptr;
  }
}

/// `names` are taken; the entry's is added.
void require_writable(const SafetensorsEntry& entry, std::set<std::string>& names) {
  if (!written_name(entry.dtype)) refuse_entry(entry.name, "the dtype must be F16, BF16, F32 or F64");
  if (!is_utf8(entry.name)) refuse_entry(entry.name, "the name is not UTF-8");
  if (!names.insert(entry.name).second) refuse_entry(entry.name, "the name is taken");
  if (entry.values->rank() > max_rank)
    refuse_entry(entry.name, fmt::format("it has more than {} axes", max_rank));
  if (entry.values->size() != element_count(entry.values->shape))
    refuse_entry(entry.name, "its data do not fill its shape");
}

void write_metadata(JsonWriter& json, const std::map<std::string, std::string>& metadata) {
  json.key(safetensors_metadata_key), json.begin_object();
  for (const auto& [key, text] : metadata) {
    if (!is_utf8(key) || !is_utf8(text)) refuse_entry(key, "the metadata are not UTF-8");
    json.key(key), json.value(text);
  }
  json.end_object();
}

/// The header's JSON; blanks at its end let the data start at a multiple of 8 bytes.
std::string header_of(const std::vector<SafetensorsEntry>& entries,
                      const std::map<std::string, std::string>& metadata) {
  JsonWriter json;
  std::set<std::string> names{std::string(safetensors_metadata_key)};
  std::size_t end = 0;
  json.begin_object();
  if (!metadata.empty()) write_metadata(json, metadata);
  for (const SafetensorsEntry& entry : entries) {
    require_writable(entry, names);
    const std::size_t begin = std::exchange(end, end + entry.values->size() * size_of(entry.dtype));
    json.key(entry.name), json.begin_object();
    json.key("dtype"), json.value(written_name(entry.dtype));
    json.key("shape"), json.begin_array();
    for (std::size_t extent : entry.values->shape) json.value(extent);
    json.end_array();
    json.key("data_offsets"), json.begin_array(), json.value(begin), json.value(end), json.end_array();
    json.end_object();
  }
  json.end_object();
  std::string header = json.take();
  header.resize((header.size() + 7) / 8 * 8, ' ');
  return header;
}

void require_range(const SafetensorsEntry& entry) {
  if (entry.dtype == DType::f64) return;
  constexpr double largest_half = 65504, largest_bfloat = 0x1.FEp127;
  const double largest = entry.dtype == DType::f16    ? largest_half
                         : entry.dtype == DType::bf16 ? largest_bfloat
                                                      : std::numeric_limits<float>::max();
  for (double cell : entry.values->data)
    if (std::isfinite(cell) && std::abs(cell) > largest)
      throw Error(
          ErrorKind::bad_data,
          said("tensor {name} holds {value}, too large for {type}", {{"name", in_quotes(entry.name)},
                                                                     {"value", fmt::format("{}", cell)},
                                                                     {"type", written_name(entry.dtype)}}),
          entry.dtype == DType::f16 ? said("save it in single precision")
                                    : said("save it in double precision"));
}

} // namespace

namespace {

RefuseValue refusal_of(const SafetensorsHeader::StoredTensor& entry, const std::string& name) {
  return [&](std::size_t i, const std::string& value) {
    refuse_file(name,
                said("tensor {name}: cell {cell} holds {value}, which a double cannot hold exactly",
                     {{"name", in_quotes(entry.name)},
                      {"cell", to_string(index_of(entry.shape, i))},
                      {"value", value}}),
                said("tfx computes in double: keep integers within ±2^53"));
  };
}

} // namespace

std::vector<double> read_safetensors_values(std::string_view bytes, const SafetensorsHeader& header,
                                            const SafetensorsHeader::StoredTensor& entry,
                                            const std::string& name) {
  if (!entry.other.empty()) refuse_dtype(entry, name);
  return decode_values(bytes.substr(header.data_offset + entry.begin, entry.bytes()), entry.dtype,
                       std::endian::little, refusal_of(entry, name));
}

void each_safetensors_piece(std::string_view bytes, const SafetensorsHeader& header,
                            const SafetensorsHeader::StoredTensor& entry, const std::string& name,
                            const TakePiece& take) {
  if (!entry.other.empty()) refuse_dtype(entry, name);
  decode_in_pieces(bytes.substr(header.data_offset + entry.begin, entry.bytes()), entry.dtype,
                   std::endian::little, refusal_of(entry, name), take);
}

Safetensors read_safetensors(std::string_view bytes, const std::string& name) {
  SafetensorsHeader header = parse_safetensors_header(bytes, name);
  std::size_t cells = 0; // at most one a byte
  for (const auto& entry : header.entries) {
    if (!entry.other.empty()) refuse_dtype(entry, name);
    cells += entry.bytes() / size_of(entry.dtype);
  }
  require_memory(static_cast<double>(cells) * sizeof(double),
                 said("reading {file}", {{"file", FileName(name)}}));

  Safetensors file{std::move(header.metadata), {}};
  for (auto& entry : header.entries) {
    std::vector<double> values = read_safetensors_values(bytes, header, entry, name);
    file.tensors.push_back(
        {std::move(entry.name), {entry.dtype, Tensor(std::move(entry.shape), std::move(values))}});
  }
  return file;
}

std::string write_safetensors(const std::vector<SafetensorsEntry>& entries,
                              const std::map<std::string, std::string>& metadata) {
  const std::string header = header_of(entries, metadata);
  std::size_t size = safetensors_size_field + header.size();
  for (const SafetensorsEntry& entry : entries) size += entry.values->size() * size_of(entry.dtype);

  std::string bytes;
  bytes.reserve(size);
  for (std::size_t i = 0; i < safetensors_size_field; ++i)
    bytes += static_cast<char>(header.size() >> 8 * i & 0xFF);
  bytes += header;
  for (const SafetensorsEntry& entry : entries) {
    require_range(entry);
    append_values(bytes, entry.values->data, entry.dtype);
  }
  return bytes;
}

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
