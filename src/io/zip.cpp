#include "io/zip.hpp"

#include "io/array.hpp"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include <zlib.h>

namespace tfx {

namespace {

using namespace std::string_view_literals;

constexpr auto local_mark = "PK\x03\x04"sv, entry_mark = "PK\x01\x02"sv, end_mark = "PK\x05\x06"sv,
               zip64_mark = "PK\x06\x06"sv, locator_mark = "PK\x06\x07"sv;
constexpr std::size_t local_size = 30, entry_size = 46, end_size = 22, zip64_size = 56, locator_size = 20;

Message unclear_name() {
  return said("has a name that is not ASCII, and the archive does not say that it is UTF-8");
}
Message save_again() {
  return said("save it again with np.savez");
}

/// The table of contents.
struct Directory {
  std::string_view bytes;
  std::size_t position = 0, entries = 0;
  std::size_t shift = 0; ///< what stands before the archive; its positions count from its own start
};

[[noreturn]] void refuse_directory(const FileName& name, const Message& why) {
  refuse_file(name, said("the table of contents at the end is damaged ({why})", {{"why", why}}),
              save_again());
}

[[noreturn]] void refuse_entry(const FileName& name, const std::string& entry, const Message& what) {
  refuse_file(name, said("entry \"{name}\" {what}", {{"name", printable(entry)}, {"what", what}}),
              save_again());
}

/// Where zipfile finds the end record: at the very end, else the last mark that a comment can stand behind.
std::size_t find_end_record(std::string_view bytes, const FileName& name) {
  constexpr std::size_t longest_comment = 1 << 16;
  if (bytes.size() < end_size) refuse_directory(name, said("the file is shorter than one"));
  const std::string_view last = bytes.substr(bytes.size() - end_size);
  if (last.starts_with(end_mark) && last.ends_with("\0\0"sv)) return bytes.size() - end_size;
  const std::size_t at = bytes.rfind(end_mark);
  if (at == bytes.npos || at + longest_comment + end_size < bytes.size() || at + end_size > bytes.size())
    refuse_directory(name, said("the record that ends it is missing"));
  return at;
}

Directory find_directory(std::string_view bytes, const FileName& name) {
  const std::size_t end = find_end_record(bytes, name);
  const auto number = [&](std::size_t at, std::size_t size) {
    return std::size_t{little_endian(bytes.substr(at, size))};
  };
  if (end + end_size + number(end + 20, 2) != bytes.size())
    refuse_directory(name, said("other bytes follow it than the comment that it announces"));
  if (number(end + 4, 4) != 0) refuse_directory(name, said("the archive is one part of several"));
  std::size_t stop = end, entries = number(end + 10, 2), size = number(end + 12, 4),
              position = number(end + 16, 4);
  if (end >= locator_size && bytes.substr(end - locator_size).starts_with(locator_mark)) {
    if (end < locator_size + zip64_size || number(end - locator_size + 4, 4) != 0 || number(end - 4, 4) > 1)
      refuse_directory(name, said("its zip64 locator is wrong"));
    stop = end - locator_size - zip64_size;
    if (!bytes.substr(stop).starts_with(zip64_mark))
      refuse_directory(name, said("its zip64 record is missing"));
    entries = number(stop + 32, 8), size = number(stop + 40, 8), position = number(stop + 48, 8);
  }
  if (entries > max_zip_entries)
    refuse_file(name, said("holds {count} arrays, more than 1,024", {{"count", entries}}), save_again());
  if (size > stop || position > stop - size)
    refuse_directory(name, said("it would reach beyond the record that ends it"));
  return {bytes.substr(stop - size, size), stop - size, entries, stop - size - position};
}

/// The numbers of an entry that may stand in 8 bytes among its extra fields. As zipfile reads them: each
/// whose 4 bytes are all ones, in this order.
struct WideNumbers {
  std::size_t size, packed, position;
};

void widen(WideNumbers& numbers, std::string_view extra, const FileName& name) {
  constexpr std::size_t ones = 0xFFFFFFFF, zip64 = 1;
  while (extra.size() >= 4) {
    const std::size_t kind = little_endian(extra.substr(0, 2)), length = little_endian(extra.substr(2, 2));
    if (length > extra.size() - 4) refuse_directory(name, said("an extra field is longer than all of them"));
    std::string_view field = extra.substr(4, length);
    for (std::size_t* wide : {&numbers.size, &numbers.packed, &numbers.position}) {
      if (kind != zip64 || (*wide != ones && !(wide == &numbers.size && ~*wide == 0))) continue;
      if (field.size() < 8) refuse_directory(name, said("a zip64 field is too short"));
      *wide = little_endian(field.substr(0, 8));
      field.remove_prefix(8);
    }
    extra.remove_prefix(4 + length);
  }
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; });
}

/// Whether a name means what its bytes are in UTF-8. Without the flag zipfile takes them for another code.
bool is_clear(std::string_view name, std::size_t flags) {
  constexpr std::size_t utf8 = 0x800;
  return is_ascii(name) || (flags & utf8) != 0;
}

/// The packed bytes of the entry whose own header stands at `position`.
std::string_view packed_bytes(std::string_view before_directory, std::size_t position, std::size_t size,
                              const std::string& entry, const auto& refuse) {
  if (position > before_directory.size() || before_directory.size() - position < local_size ||
      !before_directory.substr(position).starts_with(local_mark))
    refuse(said("is not where the table of contents says"));
  const std::string_view local = before_directory.substr(position);
  const std::size_t name_length = little_endian(local.substr(26, 2)),
                    extra_length = little_endian(local.substr(28, 2));
  if (local.substr(local_size, name_length) != entry)
    refuse(said("has another name where it stands: \"{name}\"",
                {{"name", printable(local.substr(local_size, name_length))}}));
  if (!is_clear(entry, little_endian(local.substr(6, 2)))) refuse(unclear_name());
  const std::size_t begin = local_size + name_length + extra_length;
  if (begin > local.size() || size > local.size() - begin)
    refuse(said("takes {size} bytes, more than the file has left for it", {{"size", size}}));
  return local.substr(begin, size);
}

/// Everything about an entry that can be judged without unpacking it. Takes it off the front of `left`.
ZipEntry take_entry(std::string_view& left, const Directory& directory, std::string_view bytes,
                    const FileName& name) {
  if (left.size() < entry_size || !left.starts_with(entry_mark))
    refuse_directory(name, said("an entry is missing"));
  const auto number = [&](std::size_t at, std::size_t size) {
    return std::size_t{little_endian(left.substr(at, size))};
  };
  const std::size_t version = number(6, 1), flags = number(8, 2), method = number(10, 2),
                    name_length = number(28, 2), extra_length = number(30, 2), comment_length = number(32, 2);
  if (left.size() - entry_size < name_length + extra_length + comment_length)
    refuse_directory(name, said("its last entry is cut off"));
  ZipEntry entry{std::string(left.substr(entry_size, name_length)), {}, 0, 0, false};
  entry.checksum = static_cast<std::uint32_t>(number(16, 4));
  WideNumbers wide{number(24, 4), number(20, 4), number(42, 4)};
  widen(wide, left.substr(entry_size + name_length, extra_length), name);
  left.remove_prefix(entry_size + name_length + extra_length + comment_length);

  const auto refuse = [&](const Message& what) { refuse_entry(name, entry.name, what); };
  constexpr std::size_t encrypted = 0x1 | 0x40, patch = 0x20, newest_version = 63;
  if ((flags & encrypted) != 0) refuse(said("is encrypted"));
  if ((flags & patch) != 0 || version > newest_version) refuse(said("needs a newer reader"));
  if (!is_clear(entry.name, flags)) refuse(unclear_name());
  if (method != 0 && method != Z_DEFLATED)
    refuse(said("is compressed by method {method}; stored and deflate are read", {{"method", method}}));
  entry.deflated = method == Z_DEFLATED;
  entry.size = wide.size;
  if (wide.position > bytes.size()) refuse(said("is not where the table of contents says"));
  entry.packed = packed_bytes(bytes.substr(0, directory.position), wide.position + directory.shift,
                              wide.packed, entry.name, refuse);
  // The size is proved against the file: deflate packs no more than 1,032 bytes into one.
  constexpr std::size_t best_ratio = 1032;
  if (entry.deflated ? entry.size / best_ratio > wide.packed : entry.size != wide.packed)
    refuse(said("declares {size} bytes, which {packed} stored bytes cannot hold",
                {{"size", entry.size}, {"packed", wide.packed}}));
  return entry;
}

/// Entries that share bytes are how a small file holds a flood.
void refuse_shared_bytes(const std::vector<ZipEntry>& entries, const FileName& name) {
  std::vector<const ZipEntry*> in_order;
  for (const ZipEntry& entry : entries) in_order.push_back(&entry);
  const auto begin = [](const ZipEntry* entry) { return entry->packed.data(); };
  std::ranges::sort(in_order, {}, begin);
  for (std::size_t i = 1; i < in_order.size(); ++i)
    if (begin(in_order[i - 1]) + in_order[i - 1]->packed.size() + local_size > begin(in_order[i]))
      refuse_entry(name, in_order[i]->name, said("shares bytes with another"));
}

} // namespace

std::vector<ZipEntry> read_zip_directory(std::string_view bytes, const FileName& name) {
  if (!bytes.starts_with(local_mark) && !bytes.starts_with(end_mark))
    refuse_file(name, said("this is no npz file: it does not start with PK and an entry at byte 0"),
                said("save with np.savez(\"x.npz\", x=arr)"));
  const Directory directory = find_directory(bytes, name);
  std::vector<ZipEntry> entries;
  std::string_view left = directory.bytes;
  for (std::size_t i = 0; i < directory.entries; ++i)
    entries.push_back(take_entry(left, directory, bytes, name));
  if (!left.empty()) refuse_directory(name, said("it has more than the entries that it announces"));
  refuse_shared_bytes(entries, name);
  return entries;
}

struct ZipStream::Inflater {
  z_stream stream{};
  Inflater() {
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream); }
};

ZipStream::ZipStream(const ZipEntry& entry, FileName name)
    : entry_(entry),
      name_(std::move(name)),
      left_(entry.packed),
      inflater_(entry.deflated ? std::make_unique<Inflater>() : nullptr) {}

ZipStream::~ZipStream() = default;
ZipStream::ZipStream(ZipStream&&) noexcept = default; // coverage: left out by the compiler

/// Some of the next bytes, none at the end.
std::size_t ZipStream::next(char* to, std::size_t size) {
  constexpr std::size_t at_once = std::numeric_limits<uInt>::max();
  size = std::min(size, at_once);
  std::size_t count = 0;
  if (inflater_) {
    z_stream& stream = inflater_->stream;
    const std::size_t given = std::min(left_.size(), at_once);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left_.data())); // zlib only reads
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<uInt>(size);
    const int state = inflate(&stream, Z_NO_FLUSH);
    if (state == Z_MEM_ERROR) throw std::bad_alloc();
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
      refuse_file(
          name_,
          said("is damaged ({why})", {{"why", stream.msg ? Message::given(stream.msg) : said("no deflate")}}),
          save_again());
    left_.remove_prefix(given - stream.avail_in);
    count = size - stream.avail_out;
  } else {
    count = left_.copy(to, size);
    left_.remove_prefix(count);
  }
  checksum_ = static_cast<std::uint32_t>(
      crc32(checksum_, reinterpret_cast<const Bytef*>(to), static_cast<uInt>(count)));
  done_ += count;
  return count;
}

void ZipStream::read_up_to(std::size_t size, std::string& bytes) {
  bytes.resize(size);
  while (done_ < size)
    if (next(bytes.data() + done_, size - done_) == 0)
      refuse_file(name_, said("ends after {done} of {size} bytes", {{"done", done_}, {"size", entry_.size}}),
                  save_again());
}

void ZipStream::finish() {
  char beyond = 0;
  if (next(&beyond, 1) != 0 || !left_.empty())
    refuse_file(name_, said("goes on after the {size} bytes that it declares", {{"size", entry_.size}}),
                save_again());
  if (checksum_ != entry_.checksum) refuse_file(name_, said("is damaged (CRC error)"), save_again());
}

} // namespace tfx
