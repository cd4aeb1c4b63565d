#include "io/npz.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/limits.hpp"
#include "io/npy.hpp"

#include <algorithm>
#include <new>
#include <optional>
#include <unordered_set>
#include <utility>

#include <zip.h>
#include <zlib.h>

namespace tfx {

namespace {

using namespace std::string_view_literals;

constexpr auto suffix = ".npy"sv;

[[noreturn]] void fail(const FileName& name, const Message& what,
                       const Message& advice = said("save it again with np.savez")) {
  refuse_file(name, what, advice);
}

[[noreturn]] void fail_at_entry(const FileName& name, const std::string& path, const Message& what) {
  fail(name, said("entry \"{name}\" {what}", {{"name", printable(path)}, {"what", what}}));
}

/// Nothing where `array` can be the name of an array; otherwise why not. Such a name is safe to print and to
/// store.
std::optional<Message> objection(std::string_view array) {
  if (array.empty()) return said("is empty");
  if (array.find('\\') != std::string_view::npos || array.front() == '/' || array.back() == '/' ||
      array.find("//") != std::string_view::npos)
    return said("has a slash");
  if (array.find("..") != std::string_view::npos) return said("has two dots");
  if (printable(array) != array) return said("has characters that nobody sees or is not UTF-8");
  return std::nullopt;
}

/// Numbers that fill memory from a file that is nearly nothing: deflate packs 1,032 zeros into a byte. What
/// an honest file of that kind holds, np.savez writes as it is.
void refuse_flood(const FileName& name, std::size_t needed, std::size_t taken) {
  constexpr std::size_t always_welcome = 48'000'000, max_ratio = 32;
  if (needed <= always_welcome || needed / max_ratio <= taken) return;
  fail(
      name,
      said("unpacks from {taken} bytes to numbers that take {needed}, more than 48 MB and more than 32 times "
           "as much",
           {{"taken", taken}, {"needed", needed}}),
      said("save it with np.savez, which does not compress"));
}

/// "it holds a, b, c"; the first few of many.
Message content_of(const std::vector<std::string>& names) {
  constexpr std::size_t max_shown = 12;
  if (names.empty()) return said("it holds nothing");
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), max_shown); ++i) text += (i ? ", " : "") + names[i];
  if (names.size() <= max_shown) return said("it holds {names}", {{"names", text}});
  return said("it holds {names}, and {count} more", {{"names", text}, {"count", names.size() - max_shown}});
}

Message no_array() {
  return said("is no array: its name does not end in .npy");
}

/// The name without ".npy".
std::string array_name(const std::string& path, const FileName& name) {
  const auto refuse = [&](const Message& what) { fail_at_entry(name, path, what); };
  if (path.ends_with("/data.pkl"))
    refuse(
        said("is of torch.save, which makes no npz: np.savez(\"mine.npz\", weights=weights.numpy()) does"));
  if (!path.ends_with(suffix)) refuse(no_array());
  std::string array = path.substr(0, path.size() - suffix.size());
  if (const auto reason = objection(array)) refuse(said("has a bad name: it {why}", {{"why", *reason}}));
  return array;
}

} // namespace

NpzReader::NpzReader(std::string_view bytes, FileName name, Others others)
    : name_(std::move(name)), entries_(read_zip_directory(bytes, name_)), others_(others) {
  std::unordered_set<std::string> seen;
  for (ZipEntry& entry : entries_) {
    if (others_ == Others::kept && !entry.name.ends_with(suffix) && !entry.name.ends_with("/data.pkl"))
      no_arrays_.insert(entry.name = printable(entry.name));
    else
      entry.name = array_name(entry.name, name_);
    if (!seen.insert(entry.name).second)
      fail(name_, said("holds two arrays named \"{name}\"", {{"name", entry.name}}));
  }
}

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> names;
  for (const ZipEntry& entry : entries_) names.push_back(entry.name);
  return names;
}

bool NpzReader::has(const std::string& array) const {
  return std::ranges::find(entries_, array, &ZipEntry::name) != entries_.end();
}

const ZipEntry& NpzReader::entry(const std::string& array) const {
  const auto entry = std::ranges::find(entries_, array, &ZipEntry::name);
  if (entry == entries_.end())
    fail(name_, said("holds no array \"{name}\"", {{"name", printable(array)}}), content_of(names()));
  return *entry;
}

std::size_t NpzReader::size(const std::string& array) const {
  return entry(array).size;
}

/// An entry being read: its bytes so far, and what its header says.
struct NpzReader::Opened {
  FileName name; ///< "FILE: array.npy"
  const ZipEntry& entry;
  ZipStream stream;
  std::string bytes = {};
  NpyHeader header = {};
};

NpzReader::Opened NpzReader::open(const std::string& array) const {
  const ZipEntry& packed = entry(array);
  const FileName name(said("{file}: {what}", {{"file", name_}, {"what", array + ".npy"}}));
  Opened opened{name, packed, ZipStream(packed, name)};
  opened.stream.read_up_to(std::min(packed.size, max_npy_preamble), opened.bytes);
  opened.header = parse_npy_header(opened.bytes, opened.name, others_);
  if (!opened.header.other.empty()) return opened;
  const std::size_t needed = npy_data_size(opened.header), declared = packed.size - opened.header.data_offset;
  if (needed != declared)
    fail(opened.name,
         said("{what} at byte {byte}",
              {{"what", said("shape {shape} of {dtype} takes {needed} bytes, the entry declares {declared}",
                             {{"shape", to_string(opened.header.shape)},
                              {"dtype", name_of(opened.header.dtype)},
                              {"needed", needed},
                              {"declared", declared}})},
               {"byte", opened.header.data_offset}}));
  refuse_flood(opened.name, packed.size + sizeof(double) * element_count(opened.header.shape),
               packed.packed.size());
  return opened;
}

NpyHeader NpzReader::header(const std::string& array) const {
  if (no_arrays_.contains(array)) {
    NpyHeader header;
    header.other = "file";
    return header;
  }
  return open(array).header;
}

Array NpzReader::read(const std::string& array) const {
  if (no_arrays_.contains(array)) fail_at_entry(name_, array, no_array());
  Opened opened = open(array);
  const std::size_t size = opened.entry.size;
  if (size >= worth_asking)
    require_memory(static_cast<double>(size), said("reading {file}", {{"file", opened.name}}));
  opened.stream.read_up_to(size, opened.bytes);
  opened.stream.finish();
  return read_npy(opened.bytes, opened.name);
}

std::vector<NamedArray> read_npz(std::string_view bytes, const FileName& name) {
  const NpzReader reader(bytes, name);
  std::size_t numbers = 0;
  for (const std::string& array : reader.names())
    numbers += sizeof(double) * element_count(reader.header(array).shape);
  refuse_flood(name, numbers, bytes.size());
  std::vector<NamedArray> arrays;
  for (std::string& array : reader.names()) {
    Array values = reader.read(array);
    arrays.push_back({std::move(array), std::move(values)});
  }
  return arrays;
}

namespace {

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
template <class Handle>
using Owned = std::unique_ptr<Handle, Discard>;

/// libzip's own words for what went wrong. Throws std::bad_alloc where it was memory: the file is as good as
/// before. Of some of its allocations libzip reports that they failed, but not as what: "No error".
std::string words_of(zip_error_t* error) {
  const int code = zip_error_code_zip(error);
  const bool in_zlib = code == ZIP_ER_ZLIB && zip_error_code_system(error) == Z_MEM_ERROR;
  if (code == ZIP_ER_MEMORY || code == ZIP_ER_OK || in_zlib) throw std::bad_alloc();
  return zip_error_strerror(error);
}

class ZipError {
public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() { return &error_; }
  std::string text() { return words_of(&error_); } // coverage: of a libzip that cannot begin

private:
  zip_error_t error_;
};

void require(bool succeeded, zip_t* archive) {
  if (!succeeded) throw defect("cannot make an npz file: " + words_of(zip_get_error(archive)));
}

/// The bytes that libzip wrote into `sink`.
std::string content_of(zip_source_t* sink) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  std::string bytes;
  bool complete = zip_source_open(sink) == 0;
  if (complete && zip_source_stat(sink, &stat) == 0) bytes.resize(stat.size);
  complete =
      complete && zip_source_read(sink, bytes.data(), bytes.size()) == static_cast<zip_int64_t>(bytes.size());
  zip_source_close(sink);
  if (!complete || bytes.empty())
    throw defect("cannot make an npz file: " + words_of(zip_source_error(sink))); // coverage: out of memory
  return bytes;
}

} // namespace

std::string write_npz(const std::vector<NpzEntry>& entries) {
  constexpr auto empty_archive = "PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv;
  if (entries.empty()) return std::string(empty_archive); // libzip would make no file
  ZipError error;
  const Owned<zip_source_t> sink(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (!sink) throw defect("cannot make an npz file: " + error.text());
  std::vector<std::string> files; // libzip reads them when it closes
  files.reserve(entries.size());
  Owned<zip_t> archive(zip_open_from_source(sink.get(), ZIP_TRUNCATE, error.get()));
  if (!archive) throw defect("cannot make an npz file: " + error.text());
  zip_source_keep(sink.get()); // the archive owns one reference, `sink` the other
  for (const NpzEntry& entry : entries) {
    if (const auto reason = objection(entry.name))
      throw defect("cannot store the array \"" + printable(entry.name) + "\": its name " +
                   reason->in_english());
    const std::string& file = files.emplace_back(write_npy(*entry.values, entry.dtype));
    Owned<zip_source_t> source(zip_source_buffer(archive.get(), file.data(), file.size(), 0));
    require(source != nullptr, archive.get());
    const std::string path = entry.name + std::string(suffix);
    const zip_int64_t index = zip_file_add(archive.get(), path.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
    require(index >= 0, archive.get());
    (void)source.release(); // the archive owns it now
    constexpr zip_uint16_t midnight = 0, first_of_january_1980 = 0x21;
    const auto i = static_cast<zip_uint64_t>(index);
    require(zip_set_file_compression(archive.get(), i, ZIP_CM_STORE, 0) == 0, archive.get());
    require(zip_file_set_dostime(archive.get(), i, midnight, first_of_january_1980, 0) == 0, archive.get());
  }
  require(zip_close(archive.get()) == 0, archive.get());
  (void)archive.release(); // closing freed it
  return content_of(sink.get());
}

} // namespace tfx
