#include "io/safetensors.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/file.hpp"
#include "io/json_writer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

namespace tfx {

namespace {

static_assert(std::endian::native == std::endian::little,
              "safetensors are little endian, and so are the copies here");

constexpr std::size_t size_field = 8;
constexpr std::size_t longest_header = 16 << 20;
constexpr std::size_t most_tensors = 100'000;
constexpr std::size_t highest_rank = 8;
constexpr std::string_view metadata_key = "__metadata__";

struct KnownDType {
  std::string_view name;
  DType dtype;
};
constexpr KnownDType known_dtypes[] = {{"F64", DType::f64},   {"F32", DType::f32}, {"F16", DType::f16},
                                       {"BF16", DType::bf16}, {"I64", DType::i64}, {"I32", DType::i32},
                                       {"U8", DType::u8}};

/// A tensor as the header describes it.
struct Entry {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::size_t begin = 0, end = 0; ///< bytes of the data, which follow the header

  std::size_t bytes() const { return end - begin; }
};

[[noreturn]] void
refuse(const std::string& name, const std::string& what,
       const std::string& hint = "the file is damaged or is no safetensors file: save it again") {
  throw Error(ErrorKind::bad_data, fmt::format("{}: {}", printable(name), what), hint);
}

/// A name of the file as a message shows it: controls escaped, cut between two characters.
std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::size_t length = 0;
  while (length < std::min(longest, text.size()))
    length += std::max<std::size_t>(utf8_length(text, length), 1);
  return fmt::format("\"{}{}\"", printable(text.substr(0, length)), length < text.size() ? "…" : "");
}

/// Takes the header's JSON event by event: a document in memory would keep the last of two equal keys, and
/// turn -1 into 2⁶⁴ − 1. Depth 1 is the header, depth 2 a tensor or the metadata; the lists stand in a
/// tensor.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  std::map<std::string, std::string> metadata;
  std::vector<Entry> entries;

  bool start_object(std::size_t) override {
    if (depth_ == 2) refuse_value("an object");
    ++depth_;
    if (depth_ == 1) return true;
    in_metadata_ = key_ == metadata_key;
    inner_keys_.clear();
    if (in_metadata_) return true;
    if (entries.size() == most_tensors)
      refuse(file_, fmt::format("the header has more than {} tensors", most_tensors));
    entries.emplace_back().name = key_;
    return true;
  }

  bool end_object() override {
    if (depth_ == 2 && !in_metadata_)
      for (const char* member : {"dtype", "shape", "data_offsets"})
        if (!inner_keys_.contains(member)) refuse(file_, fmt::format("{} has no {}", place(), member));
    --depth_;
    return true;
  }

  bool key(std::string& text) override {
    const bool inner = depth_ == 2;
    if (!(inner ? inner_keys_ : keys_).insert(text).second)
      refuse(file_,
             fmt::format("the name {} stands twice in {}", in_quotes(text), inner ? place() : "the header"));
    if (inner && !in_metadata_ && text != "dtype" && text != "shape" && text != "data_offsets")
      refuse(file_, fmt::format("{} has the unknown member {}", place(), in_quotes(text)));
    (inner ? inner_key_ : key_) = text;
    return true;
  }

  bool string(std::string& text) override {
    if (depth_ != 2 || in_list_ || (!in_metadata_ && inner_key_ != "dtype")) refuse_value("a string");
    if (in_metadata_)
      metadata[inner_key_] = text;
    else
      entries.back().dtype = dtype_named(text);
    return true;
  }

  bool start_array(std::size_t) override {
    if (depth_ != 2 || in_metadata_ || in_list_ || inner_key_ == "dtype") refuse_value("a list");
    in_list_ = true;
    list_.clear();
    return true;
  }

  bool end_array() override {
    in_list_ = false;
    Entry& entry = entries.back();
    if (inner_key_ == "shape") {
      entry.shape = list_;
      return true;
    }
    if (list_.size() != 2)
      refuse(file_, fmt::format("{}: data_offsets has {} numbers, not 2", place(), list_.size()));
    entry.begin = list_[0];
    entry.end = list_[1];
    return true;
  }

  bool number_unsigned(std::uint64_t number) override {
    if (!in_list_) refuse_value("a number");
    if (list_.size() == highest_rank)
      refuse(file_, fmt::format("{}: {} has more than {} numbers", place(), inner_key_, highest_rank));
    list_.push_back(number);
    return true;
  }

  bool null() override { refuse_value("null"); }
  bool boolean(bool) override { refuse_value("true or false"); }
  bool number_integer(std::int64_t) override { refuse_value("a negative number"); }
  bool number_float(double, const std::string&) override {
    refuse_value("a number that is no plain integer");
  }
  bool binary(binary_t&) override { refuse_value("binary data"); }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    refuse(file_, fmt::format("byte {}: the header is not valid JSON",
                              size_field + (position > 0 ? position - 1 : 0)));
  }

private:
  std::string place() const { return in_metadata_ ? "the metadata" : "tensor " + in_quotes(key_); }

  [[noreturn]] void refuse_value(const char* what) const {
    if (depth_ < 2)
      refuse(file_, fmt::format("{} in the header is {}, not an object", in_quotes(key_), what));
    const char* wanted = in_metadata_            ? "a string"
                         : inner_key_ == "dtype" ? "a dtype"
                                                 : "a list of plain integers";
    refuse(file_,
           fmt::format("{}: {} is or holds {}; it must be {}", place(), in_quotes(inner_key_), what, wanted));
  }

  DType dtype_named(const std::string& text) const {
    for (const auto& [name, dtype] : known_dtypes)
      if (name == text) return dtype;
    refuse(file_, fmt::format("{} has the dtype {}, which tfx does not read", place(), in_quotes(text)),
           "save it as F32 or F64 (tfx reads F64 F32 F16 BF16 I64 I32 U8)");
  }

  const std::string& file_;
  int depth_ = 0;
  bool in_metadata_ = false, in_list_ = false;
  std::vector<std::size_t> list_;           ///< the numbers of the list so far
  std::string key_, inner_key_;             ///< the last key of the header, and of the object in it
  std::set<std::string> keys_, inner_keys_; ///< all keys so far
};

/// Proves a tensor's shape against its byte range, without overflow.
void require_size(const std::string& file, const Entry& entry) {
  constexpr std::size_t largest_empty = std::size_t{1} << 31; // (2⁶⁰, 0) is a trap for a loop over rows
  const std::size_t limit = std::max(entry.bytes(), largest_empty);
  std::size_t product = 1; // of the extents but 0
  bool empty = false, fits = true;
  for (std::size_t extent : entry.shape) {
    empty = empty || extent == 0;
    fits = fits && (extent == 0 || product <= limit / extent);
    if (fits && extent > 0) product *= extent;
  }
  if (!fits || (empty ? 0 : product * size_of(entry.dtype)) != entry.bytes())
    refuse(file, fmt::format("tensor {}: {} of shape {} does not fill its {} bytes", in_quotes(entry.name),
                             name_of(entry.dtype), to_string(entry.shape), entry.bytes()));
}

/// Sorts the entries by their bytes, which must follow each other from 0 to `size`.
void require_layout(const std::string& file, std::vector<Entry>& entries, std::size_t size) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::size_t expected = 0;
  for (const Entry& entry : entries) {
    const std::size_t begin = entry.begin, end = entry.end;
    if (begin != expected)
      refuse(file,
             fmt::format("tensor {} starts at byte {} of the data, the one before it ends at {}: {}",
                         in_quotes(entry.name), begin, expected, begin > expected ? "a hole" : "an overlap"));
    if (end < begin || end > size)
      refuse(file, fmt::format("tensor {} has the bytes {} to {} of the data, which has {}",
                               in_quotes(entry.name), begin, end, size));
    require_size(file, entry);
    expected = end;
  }
  if (expected != size)
    refuse(file, fmt::format("the tensors end at byte {} of the data, which has {}", expected, size));
}

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double size = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) size = fraction ? std::nan("") : HUGE_VAL;
  return bits >> 15 ? -size : size;
}

template <class Stored, class Convert>
std::vector<double> decode(std::string_view bytes, const Convert& convert) {
  std::vector<double> cells(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    cells[i] = convert(stored);
  }
  return cells;
}

std::vector<double> cells_of(const std::string& file, const Entry& entry, std::string_view bytes) {
  const auto as_double = [](auto stored) { return static_cast<double>(stored); };
  switch (entry.dtype) {
  case DType::f64: return decode<double>(bytes, as_double);
  case DType::f32: return decode<float>(bytes, as_double);
  case DType::f16: return decode<std::uint16_t>(bytes, from_half);
  case DType::bf16:
    return decode<std::uint16_t>(
        bytes, [](std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); });
  case DType::i32: return decode<std::int32_t>(bytes, as_double);
  case DType::u8: return decode<std::uint8_t>(bytes, as_double);
  default: break; // known_dtypes has one more
  }
  std::size_t cell = 0;
  return decode<std::int64_t>(bytes, [&](std::int64_t number) {
    constexpr std::int64_t largest = std::int64_t{1} << 53;
    if (number > largest || number < -largest)
      refuse(file,
             fmt::format("tensor {}: cell {} holds {}, which a double cannot hold exactly",
                         in_quotes(entry.name), to_string(index_of(entry.shape, cell)), number),
             "tfx computes in double: keep integers within ±2^53");
    ++cell;
    return static_cast<double>(number);
  });
}

[[noreturn]] void refuse_entry(const std::string& tensor, const std::string& why) {
  throw Error(ErrorKind::internal,
              fmt::format("the tensor {} cannot be written: {}", in_quotes(tensor), why));
}

bool is_utf8(std::string_view text) {
  std::size_t at = 0;
  while (const std::size_t length = utf8_length(text, at)) at += length;
  return at == text.size();
}

void append_cells(std::string& bytes, const SafetensorsEntry& entry) {
  constexpr double largest = std::numeric_limits<float>::max();
  const auto append = [&](auto cell) { bytes.append(reinterpret_cast<const char*>(&cell), sizeof cell); };
  for (double cell : entry.values->data) {
    if (entry.dtype == DType::f32 && std::isfinite(cell) && std::abs(cell) > largest)
      throw Error(ErrorKind::bad_data,
                  fmt::format("tensor {} holds {}, too large for F32", in_quotes(entry.name), cell),
                  "save it in double precision");
    if (entry.dtype == DType::f32)
      append(static_cast<float>(cell));
    else
      append(cell);
  }
}

} // namespace

Safetensors read_safetensors(std::string_view bytes, const std::string& name) {
  if (bytes.size() < size_field) refuse(name, fmt::format("{} bytes are too few for a header", bytes.size()));
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, bytes.data(), size_field);
  if (header_size > bytes.size() - size_field)
    refuse(name, fmt::format("the header takes {} bytes, the file has {} after the first 8", header_size,
                             bytes.size() - size_field));
  if (header_size > longest_header)
    refuse(name, fmt::format("the header takes {} bytes, more than {}", header_size, longest_header));
  const std::string_view header = bytes.substr(size_field, header_size),
                         data = bytes.substr(size_field + header_size);
  if (!header.starts_with('{')) refuse(name, "byte 8: the header does not start with {");
  if (const std::size_t at = header.find('\0'); at != header.npos) // the JSON reader takes NUL for the end
    refuse(name, fmt::format("byte {}: the header holds NUL", size_field + at));

  HeaderReader reader(name);
  nlohmann::json::sax_parse(header, &reader);
  require_layout(name, reader.entries, data.size());
  std::size_t cells = 0; // at most one a byte
  for (const Entry& entry : reader.entries) cells += entry.bytes() / size_of(entry.dtype);
  require_memory(cells * sizeof(double), printable(name));

  Safetensors file{std::move(reader.metadata), {}};
  for (Entry& entry : reader.entries) {
    std::vector<double> values = cells_of(name, entry, data.substr(entry.begin, entry.bytes()));
    file.tensors.push_back(
        {std::move(entry.name), {entry.dtype, Tensor(std::move(entry.shape), std::move(values))}});
  }
  return file;
}

std::string write_safetensors(const std::vector<SafetensorsEntry>& entries,
                              const std::map<std::string, std::string>& metadata) {
  JsonWriter json;
  std::set<std::string> names{std::string(metadata_key)};
  std::size_t end = 0;
  json.begin_object();
  if (!metadata.empty()) {
    json.key(metadata_key), json.begin_object();
    for (const auto& [key, text] : metadata) {
      if (!is_utf8(key) || !is_utf8(text)) refuse_entry(key, "the metadata are not UTF-8");
      json.key(key), json.value(text);
    }
    json.end_object();
  }
  for (const SafetensorsEntry& entry : entries) {
    const Shape& shape = entry.values->shape;
    const bool wide = entry.dtype == DType::f64;
    if (!wide && entry.dtype != DType::f32) refuse_entry(entry.name, "the dtype must be F32 or F64");
    if (!is_utf8(entry.name)) refuse_entry(entry.name, "the name is not UTF-8");
    if (!names.insert(entry.name).second) refuse_entry(entry.name, "the name is taken");
    if (shape.size() > highest_rank) refuse_entry(entry.name, "it has more than 8 axes");
    if (entry.values->size() != element_count(shape))
      refuse_entry(entry.name, "its data do not fill its shape");
    const std::size_t begin = std::exchange(end, end + entry.values->size() * (wide ? 8 : 4));
    json.key(entry.name), json.begin_object();
    json.key("dtype"), json.value(wide ? "F64" : "F32");
    json.key("shape"), json.begin_array();
    for (std::size_t extent : shape) json.value(extent);
    json.end_array();
    json.key("data_offsets"), json.begin_array(), json.value(begin), json.value(end), json.end_array();
    json.end_object();
  }
  json.end_object();
  std::string header = json.take();
  header.resize((header.size() + 7) / 8 * 8, ' ');

  const std::uint64_t header_size = header.size();
  std::string bytes(reinterpret_cast<const char*>(&header_size), size_field);
  bytes.reserve(size_field + header.size() + end);
  bytes += header;
  for (const SafetensorsEntry& entry : entries) append_cells(bytes, entry);
  return bytes;
}

} // namespace tfx
