#include "io/npz.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "io/limits.hpp"
#include "io/message.hpp"
#include "io/npy.hpp"
#include "io/values.hpp"

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>
#include <unordered_set>
#include <utility>

#include <zip.h>
#include <zlib.h>

namespace tfx {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t max_entries = 1024;
constexpr auto suffix = ".npy"sv;
constexpr auto hint = "save it again with np.savez";

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
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
  std::string text() { return words_of(&error_); }

private:
  zip_error_t error_;
};

[[noreturn]] void fail(const std::string& name, const std::string& what, const std::string& advice = hint) {
  refuse_file(name, what, advice);
}

/// Nothing where `array` can be the name of an array; otherwise why not. Such a name is safe to print and to
/// store.
std::optional<std::string> objection(std::string_view array) {
  if (array.empty()) return "is empty";
  if (array.find_first_of("/\\") != std::string_view::npos) return "has a slash";
  if (array.find("..") != std::string_view::npos) return "has two dots";
  if (printable(array) != array) return "has control characters or is not UTF-8";
  return std::nullopt;
}

/// libzip takes memory for as many entries as a zip64 record announces before it looks at the first, and it
/// looks at every such record near the end of the file. So each is judged here first.
void refuse_announced_flood(std::string_view bytes, const std::string& name) {
  constexpr auto end_record = "PK\x05\x06"sv, locator = "PK\x06\x07"sv, zip64_record = "PK\x06\x06"sv;
  constexpr std::size_t locator_size = 20, record_size = 56, searched = (1 << 16) + 22 + locator_size;
  std::size_t at = bytes.size() - std::min(bytes.size(), searched);
  for (; (at = bytes.find(end_record, at)) != std::string_view::npos; ++at) {
    if (at < locator_size || bytes.substr(at - locator_size, 4) != locator) continue;
    const std::uint64_t record = little_endian(bytes.substr(at - locator_size + 8, 8));
    if (bytes.size() < record_size || record > bytes.size() - record_size) continue;
    if (bytes.substr(record, 4) != zip64_record) continue;
    const std::uint64_t entries = little_endian(bytes.substr(record + 32, 8));
    if (entries > max_entries)
      fail(name, "announces " + std::to_string(entries) + " arrays, more than 1,024, at byte " +
                     std::to_string(record + 32));
  }
}

Owned<zip_t> open_archive(std::string_view bytes, const std::string& name) {
  if (!bytes.starts_with("PK"sv))
    fail(name, "this is no npz file: it does not start with PK at byte 0",
         "save with np.savez(\"x.npz\", x=arr)");
  refuse_announced_flood(bytes, name);
  ZipError error;
  Owned<zip_source_t> source(zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get()));
  if (!source) fail(name, error.text());
  Owned<zip_t> archive(zip_open_from_source(source.get(), ZIP_RDONLY, error.get()));
  if (!archive) fail(name, "the table of contents at the end is damaged (" + error.text() + ")");
  (void)source.release(); // the archive owns it now
  return archive;
}

/// Numbers that fill memory from a file that is nearly nothing: deflate packs 1,032 zeros into a byte. What
/// an honest file of that kind holds, np.savez writes as it is.
void refuse_flood(const std::string& name, std::size_t needed, std::size_t taken) {
  constexpr std::size_t always_welcome = 48'000'000, max_ratio = 32;
  if (needed <= always_welcome || needed / max_ratio <= taken) return;
  fail(name,
       "unpacks from " + std::to_string(taken) + " bytes to numbers that take " + std::to_string(needed) +
           ", more than 48 MB and more than 32 times as much",
       "save it with np.savez, which does not compress");
}

/// "a, b, c"; the first few of many.
std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t max_shown = 12;
  std::string text = names.empty() ? "nothing" : "";
  for (std::size_t i = 0; i < std::min(names.size(), max_shown); ++i) text += (i ? ", " : "") + names[i];
  return names.size() > max_shown ? text + ", and " + std::to_string(names.size() - max_shown) + " more"
                                  : text;
}

struct ZipEntry {
  std::string array; ///< the name without ".npy"
  std::size_t size;  ///< bytes of the npy file, as declared
  std::size_t taken; ///< bytes in the archive
};

/// Everything about an entry that can be judged without reading it; `left` bytes of the file are not yet
/// spoken for.
ZipEntry judge(zip_t* archive, std::size_t i, std::size_t left, const std::string& name) {
  zip_stat_t stat;
  zip_stat_init(&stat);
  const char* const raw = zip_get_name(archive, i, ZIP_FL_ENC_RAW);
  if (!raw || zip_stat_index(archive, i, 0, &stat) != 0)
    fail(name,
         "entry " + std::to_string(i) + " has no description"); // coverage: libzip describes what it counts
  const std::string_view path = raw;
  const auto refuse = [&](const std::string& what) {
    fail(name, "entry \"" + printable(path) + "\" " + what);
  };
  if (path.ends_with("/data.pkl"))
    refuse("is of torch.save, which makes no npz: np.savez(\"mine.npz\", weights=weights.numpy()) does");
  if (!path.ends_with(suffix)) refuse("is no array: its name does not end in .npy");
  const std::string array(path.substr(0, path.size() - suffix.size()));
  if (const auto reason = objection(array)) refuse("has a bad name: it " + *reason);
  constexpr zip_uint64_t needed =
      ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
  if ((stat.valid & needed) != needed) refuse("has no description");
  if (stat.encryption_method != ZIP_EM_NONE) refuse("is encrypted");
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE)
    refuse("is compressed by method " + std::to_string(stat.comp_method) + "; stored and deflate are read");
  // The size is proved against the file: deflate packs no more than 1,032 bytes into one.
  constexpr zip_uint64_t best_ratio = 1032;
  if (stat.comp_size > left)
    refuse("takes " + std::to_string(stat.comp_size) + " bytes, more than the file has left for it");
  const bool stored = stat.comp_method == ZIP_CM_STORE;
  if (stored ? stat.size != stat.comp_size : stat.size / best_ratio > stat.comp_size)
    refuse("declares " + std::to_string(stat.size) + " bytes, which " + std::to_string(stat.comp_size) +
           " stored bytes cannot hold");
  return {array, stat.size, stat.comp_size};
}

} // namespace

struct NpzReader::Archive {
  std::string name;
  Owned<zip_t> zip;
  std::vector<ZipEntry> entries;
};

NpzReader::NpzReader(std::string_view bytes, std::string name) : archive_(std::make_unique<Archive>()) {
  archive_->name = std::move(name);
  archive_->zip = open_archive(bytes, archive_->name);
  const auto count = static_cast<std::size_t>(zip_get_num_entries(archive_->zip.get(), 0));
  if (count > max_entries)
    fail(archive_->name, "holds " + std::to_string(count) + " arrays, more than 1,024");
  std::unordered_set<std::string> seen;
  std::size_t left = bytes.size(); // entries that share bytes are how a small file holds a flood
  for (std::size_t i = 0; i < count; ++i) {
    const ZipEntry& entry =
        archive_->entries.emplace_back(judge(archive_->zip.get(), i, left, archive_->name));
    left -= entry.taken;
    if (!seen.insert(entry.array).second)
      fail(archive_->name, "holds two arrays named \"" + entry.array + "\"");
  }
}

NpzReader::~NpzReader() = default;

std::vector<std::string> NpzReader::names() const {
  std::vector<std::string> names;
  for (const ZipEntry& entry : archive_->entries) names.push_back(entry.array);
  return names;
}

bool NpzReader::has(const std::string& array) const {
  return std::ranges::any_of(archive_->entries, [&](const ZipEntry& entry) { return entry.array == array; });
}

/// An entry being read: its bytes so far, and what its header says.
struct NpzReader::Opened {
  std::string name; ///< "FILE: array.npy"
  const ZipEntry& entry;
  Owned<zip_file_t> file;
  std::string bytes = {};
  NpyHeader header = {};

  void read_up_to(std::size_t size);
};

void NpzReader::Opened::read_up_to(std::size_t size) {
  std::size_t filled = bytes.size();
  bytes.resize(size);
  while (filled < size) {
    const zip_int64_t count = zip_fread(file.get(), bytes.data() + filled, size - filled);
    if (count < 0) fail(name, "is damaged (" + words_of(zip_file_get_error(file.get())) + ")");
    if (count == 0)
      fail(name, "ends after " + std::to_string(filled) + " of " + std::to_string(entry.size) + " bytes");
    filled += static_cast<std::size_t>(count);
  }
}

NpzReader::Opened NpzReader::open(const std::string& array) const {
  const auto entry = std::ranges::find(archive_->entries, array, &ZipEntry::array);
  if (entry == archive_->entries.end())
    fail(archive_->name, "holds no array \"" + printable(array) + "\"", "it holds " + list(names()));
  const auto index = static_cast<zip_uint64_t>(entry - archive_->entries.begin());
  Opened opened{archive_->name + ": " + array + ".npy", *entry,
                Owned<zip_file_t>(zip_fopen_index(archive_->zip.get(), index, 0))};
  if (!opened.file)
    fail(opened.name, "cannot be opened (" + words_of(zip_get_error(archive_->zip.get())) + ")");
  opened.read_up_to(std::min(entry->size, max_npy_preamble));
  opened.header = parse_npy_header(opened.bytes, opened.name);
  const std::size_t needed = npy_data_size(opened.header), declared = entry->size - opened.header.data_offset;
  if (needed != declared)
    fail(opened.name, "shape " + to_string(opened.header.shape) + " of " + name_of(opened.header.dtype) +
                          " takes " + std::to_string(needed) + " bytes, the entry declares " +
                          std::to_string(declared) + " at byte " + std::to_string(opened.header.data_offset));
  refuse_flood(opened.name, entry->size + sizeof(double) * element_count(opened.header.shape), entry->taken);
  return opened;
}

NpyHeader NpzReader::header(const std::string& array) const {
  return open(array).header;
}

Array NpzReader::read(const std::string& array) const {
  Opened opened = open(array);
  const std::size_t size = opened.entry.size;
  if (size >= worth_asking) require_memory(static_cast<double>(size), "reading " + printable(opened.name));
  opened.read_up_to(size);
  char beyond = 0; // libzip compares length and checksum when it meets the end
  const zip_int64_t more = zip_fread(opened.file.get(), &beyond, 1);
  if (more < 0) fail(opened.name, "is damaged (" + words_of(zip_file_get_error(opened.file.get())) + ")");
  if (more > 0) fail(opened.name, "goes on after the " + std::to_string(size) + " bytes that it declares");
  return read_npy(opened.bytes, opened.name);
}

std::vector<NamedArray> read_npz(std::string_view bytes, const std::string& name) {
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

void require(bool succeeded, zip_t* archive) {
  if (!succeeded)
    throw Error(ErrorKind::internal, "cannot make an npz file: " + words_of(zip_get_error(archive)));
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
    throw Error(ErrorKind::internal,
                "cannot make an npz file: " + words_of(zip_source_error(sink))); // coverage: out of memory
  return bytes;
}

} // namespace

std::string write_npz(const std::vector<NpzEntry>& entries) {
  constexpr auto empty_archive = "PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"sv;
  if (entries.empty()) return std::string(empty_archive); // libzip would make no file
  ZipError error;
  const Owned<zip_source_t> sink(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (!sink) throw Error(ErrorKind::internal, "cannot make an npz file: " + error.text());
  std::vector<std::string> files; // libzip reads them when it closes
  files.reserve(entries.size());
  Owned<zip_t> archive(zip_open_from_source(sink.get(), ZIP_TRUNCATE, error.get()));
  if (!archive) throw Error(ErrorKind::internal, "cannot make an npz file: " + error.text());
  zip_source_keep(sink.get()); // the archive owns one reference, `sink` the other
  for (const NpzEntry& entry : entries) {
    if (const auto reason = objection(entry.name))
      throw Error(ErrorKind::internal,
                  "cannot store the array \"" + printable(entry.name) + "\": its name " + *reason);
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
