#include "io/safetensors_header.hpp"

#include "io/array.hpp"
#include "io/limits.hpp"
#include "io/message.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>

namespace tfx {

namespace {

using StoredTensor = SafetensorsHeader::StoredTensor;

constexpr std::size_t max_header_bytes = 16 << 20;
constexpr std::size_t max_tensors = 100'000;

struct KnownDType {
  std::string_view name;
  DType dtype;
};
constexpr KnownDType known_dtypes[] = {{"F64", DType::f64},     {"F32", DType::f32}, {"F16", DType::f16},
                                       {"BF16", DType::bf16},   {"I64", DType::i64}, {"I32", DType::i32},
                                       {"I16", DType::i16},     {"I8", DType::i8},   {"U64", DType::u64},
                                       {"U32", DType::u32},     {"U16", DType::u16}, {"U8", DType::u8},
                                       {"BOOL", DType::boolean}};

[[noreturn]] void
refuse(const std::string& name, const Message& what,
       const Message& hint = said("the file is damaged or is no safetensors file: save it again")) {
  refuse_file(name, what, hint);
}

Message tensor_named(const std::string& name) {
  return said("tensor {name}", {{"name", in_quotes(name)}});
}

/// Takes the header's JSON event by event: a document in memory would keep the last of two equal keys, and
/// turn -1 into 2⁶⁴ − 1. Depth 1 is the header, depth 2 a tensor or the metadata; the lists stand in a
/// tensor.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit HeaderReader(const std::string& file) : file_(file) {}

  std::map<std::string, std::string> metadata;
  std::vector<StoredTensor> entries;

  bool start_object(std::size_t) override {
    if (depth_ == 2) refuse_value(said("an object"));
    ++depth_;
    if (depth_ == 1) return true;
    in_metadata_ = key_ == safetensors_metadata_key;
    inner_keys_.clear();
    if (in_metadata_) return true;
    if (entries.size() == max_tensors)
      refuse(file_, said("the header has more than {count} tensors", {{"count", max_tensors}}));
    entries.emplace_back().name = key_;
    return true;
  }

  bool end_object() override {
    if (depth_ == 2 && !in_metadata_)
      for (const char* member : {"dtype", "shape", "data_offsets"})
        if (!inner_keys_.contains(member))
          refuse(file_, said("{place} has no {member}", {{"place", place()}, {"member", member}}));
    --depth_;
    return true;
  }

  bool key(std::string& text) override {
    const bool inner = depth_ == 2;
    if (!(inner ? inner_keys_ : keys_).insert(text).second)
      refuse(file_, said("the name {name} stands twice in {place}",
                         {{"name", in_quotes(text)}, {"place", inner ? place() : said("the header")}}));
    if (inner && !in_metadata_ && text != "dtype" && text != "shape" && text != "data_offsets")
      refuse(file_,
             said("{place} has the unknown member {name}", {{"place", place()}, {"name", in_quotes(text)}}));
    (inner ? inner_key_ : key_) = text;
    return true;
  }

  bool string(std::string& text) override {
    if (depth_ != 2 || in_list_ || (!in_metadata_ && inner_key_ != "dtype")) refuse_value(said("a string"));
    if (in_metadata_)
      metadata[inner_key_] = text;
    else
      set_dtype(entries.back(), text);
    return true;
  }

  bool start_array(std::size_t) override {
    if (depth_ != 2 || in_metadata_ || in_list_ || inner_key_ == "dtype") refuse_value(said("a list"));
    in_list_ = true;
    list_.clear();
    return true;
  }

  bool end_array() override {
    in_list_ = false;
    StoredTensor& entry = entries.back();
    if (inner_key_ == "shape") {
      entry.shape = list_;
      return true;
    }
    if (list_.size() != 2)
      refuse(file_, said("{place}: data_offsets has {count} numbers, not 2",
                         {{"place", place()}, {"count", list_.size()}}));
    entry.begin = list_[0];
    entry.end = list_[1];
    return true;
  }

  bool number_unsigned(std::uint64_t number) override {
    if (!in_list_) refuse_value(said("a number"));
    if (list_.size() == max_rank)
      refuse(file_, said("{place}: {key} has more than {count} numbers",
                         {{"place", place()}, {"key", inner_key_}, {"count", max_rank}}));
    list_.push_back(number);
    return true;
  }

  bool null() override { refuse_value(said("null")); }
  bool boolean(bool) override { refuse_value(said("true or false")); }
  bool number_integer(std::int64_t) override { refuse_value(said("a negative number")); }
  bool number_float(double, const std::string&) override {
    refuse_value(said("a number that is no plain integer"));
  }
  bool binary(binary_t&) override { refuse_value(said("binary data")); } // coverage: not in JSON

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    refuse(file_, said("byte {byte}: the header is not valid JSON",
                       {{"byte", safetensors_size_field + (position > 0 ? position - 1 : 0)}}));
  }

private:
  Message place() const { return in_metadata_ ? said("the metadata") : tensor_named(key_); }

  [[noreturn]] void refuse_value(const Message& what) const {
    if (depth_ < 2)
      refuse(file_, said("{name} in the header is {what}, not an object",
                         {{"name", in_quotes(key_)}, {"what", what}}));
    const Message wanted = in_metadata_            ? said("a string")
                           : inner_key_ == "dtype" ? said("a dtype")
                                                   : said("a list of plain integers");
    refuse(file_,
           said("{place}: {name} is or holds {what}; it must be {wanted}",
                {{"place", place()}, {"name", in_quotes(inner_key_)}, {"what", what}, {"wanted", wanted}}));
  }

  static void set_dtype(StoredTensor& entry, const std::string& text) {
    const auto* known = std::ranges::find(known_dtypes, text, &KnownDType::name);
    if (known == std::end(known_dtypes))
      entry.other = text.empty() ? "?" : text;
    else
      entry.dtype = known->dtype;
  }

  const std::string& file_;
  int depth_ = 0;
  bool in_metadata_ = false, in_list_ = false;
  std::vector<std::size_t> list_;           ///< the numbers of the list so far
  std::string key_, inner_key_;             ///< the last key of the header, and of the object in it
  std::set<std::string> keys_, inner_keys_; ///< all keys so far
};

/// Proves a tensor's shape against its byte range, without overflow.
void require_size(const std::string& file, const StoredTensor& entry) {
  constexpr std::size_t max_empty = std::size_t{1} << 31; // (2⁶⁰, 0) is a trap for a loop over rows
  const std::size_t limit = std::max(entry.bytes(), max_empty);
  std::size_t product = 1; // of the extents but 0
  bool empty = false, fits = true;
  for (std::size_t extent : entry.shape) {
    empty = empty || extent == 0;
    fits = fits && (extent == 0 || product <= limit / extent);
    if (fits && extent > 0) product *= extent;
  }
  // Of another dtype only its name is known: a cell takes a bit at least.
  const std::size_t smallest = empty                 ? 0
                               : entry.other.empty() ? product * size_of(entry.dtype)
                                                     : (product + 7) / 8;
  if (!fits || (entry.other.empty() ? smallest != entry.bytes() : smallest > entry.bytes()))
    refuse(file, said("tensor {name}: {dtype} of shape {shape} does not fill its {bytes} bytes",
                      {{"name", in_quotes(entry.name)},
                       {"dtype", entry.other.empty() ? name_of(entry.dtype) : printable(entry.other)},
                       {"shape", to_string(entry.shape)},
                       {"bytes", entry.bytes()}}));
}

/// Sorts the entries by their bytes, which must follow each other from 0 to `size`.
void require_layout(const std::string& file, std::vector<StoredTensor>& entries, std::size_t size) {
  std::sort(entries.begin(), entries.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  std::size_t expected = 0;
  for (const StoredTensor& entry : entries) {
    const std::size_t begin = entry.begin, end = entry.end;
    if (begin != expected)
      refuse(file, said("tensor {name} starts at byte {begin} of the data, the one before it ends at {end}: "
                        "{what}",
                        {{"name", in_quotes(entry.name)},
                         {"begin", begin},
                         {"end", expected},
                         {"what", begin > expected ? said("a hole") : said("an overlap")}}));
    if (end < begin || end > size)
      refuse(file, said("tensor {name} has the bytes {begin} to {end} of the data, which has {size}",
                        {{"name", in_quotes(entry.name)}, {"begin", begin}, {"end", end}, {"size", size}}));
    require_size(file, entry);
    expected = end;
  }
  if (expected != size)
    refuse(file, said("the tensors end at byte {end} of the data, which has {size}",
                      {{"end", expected}, {"size", size}}));
}

/// The header's JSON, as yet unread: only its length is proved, its first byte, and that it holds no NUL.
std::string_view header_text(std::string_view bytes, const std::string& name) {
  if (bytes.size() < safetensors_size_field)
    refuse(name, said("{count} bytes are too few for a header", {{"count", bytes.size()}}));
  const std::uint64_t size = little_endian(bytes.substr(0, safetensors_size_field));
  const std::string_view rest = bytes.substr(safetensors_size_field);
  if (size > rest.size())
    refuse(name, said("the header takes {size} bytes, the file has {rest} after the first 8",
                      {{"size", size}, {"rest", rest.size()}}));
  if (size > max_header_bytes)
    refuse(name, said("the header takes {size} bytes, more than {most}",
                      {{"size", size}, {"most", max_header_bytes}}));
  const std::string_view text = rest.substr(0, size);
  if (!text.starts_with('{')) refuse(name, said("byte 8: the header does not start with {"));
  if (const std::size_t at = text.find('\0'); at != text.npos) // the JSON reader takes NUL for the end
    refuse(name, said("byte {byte}: the header holds NUL", {{"byte", safetensors_size_field + at}}));
  return text;
}

} // namespace

void refuse_dtype(const StoredTensor& tensor, const std::string& name) {
  refuse(name,
         said("{place} has the dtype {dtype}, which tfx does not read",
              {{"place", tensor_named(tensor.name)}, {"dtype", in_quotes(tensor.other)}}),
         said("save it as F32 or F64 (tfx reads F64 F32 F16 BF16, integers and BOOL)"));
}

SafetensorsHeader parse_safetensors_header(std::string_view bytes, const std::string& name) {
  const std::string_view text = header_text(bytes, name);
  HeaderReader reader(name);
  nlohmann::json::sax_parse(text, &reader);
  const std::size_t data_offset = safetensors_size_field + text.size();
  require_layout(name, reader.entries, bytes.size() - data_offset);
  return {std::move(reader.metadata), std::move(reader.entries), data_offset};
}

} // namespace tfx
