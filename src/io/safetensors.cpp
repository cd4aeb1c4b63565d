#include "io/safetensors.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/json_writer.hpp"
#include "io/limits.hpp"
#include "io/message.hpp"
#include "io/safetensors_header.hpp"
#include "io/utf8.hpp"
#include "io/values.hpp"

#include <fmt/format.h>

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
  case DType::f32: return "F32";
  case DType::f64: return "F64";
  default: return nullptr;
  }
}

/// `names` are taken; the entry's is added.
void require_writable(const SafetensorsEntry& entry, std::set<std::string>& names) {
  if (!written_name(entry.dtype)) refuse_entry(entry.name, "the dtype must be F16, F32 or F64");
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
  constexpr double largest_half = 65504;
  const double largest = entry.dtype == DType::f16 ? largest_half : std::numeric_limits<float>::max();
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

} // namespace tfx
