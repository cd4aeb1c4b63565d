#pragma once
// A zip archive in memory, taken as hostile and read by the rules of Python's zipfile, through which NumPy
// reads an npz: where two readers could see two archives in the same bytes, this one sees NumPy's or refuses.
// Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, Lib/zipfile.py of CPython 3.11.

#include "io/message.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// The most entries of an archive.
constexpr std::size_t max_zip_entries = 1024;

/// A file in an archive, as the table of contents describes it.
struct ZipEntry {
  std::string name;        ///< bytes; where they are not ASCII, the archive says that they are UTF-8
  std::string_view packed; ///< its bytes in the archive
  std::size_t size = 0;    ///< of the file itself, which `packed` can hold
  std::uint32_t checksum = 0;
  bool deflated = false; ///< else stored as it is
};

/// The entries in the order of the table of contents, which the last end record of the file names: of
/// archives written one after the other, those of the last one. They share no bytes, are stored or deflated,
/// not encrypted, and have the same name in the table and at their place. `name` stands for the file in
/// messages. Throws Error(bad_data).
std::vector<ZipEntry> read_zip_directory(std::string_view bytes, const FileName& name);

/// The bytes of an entry, one after the other. The archive must outlive it.
class ZipStream {
public:
  /// `name` stands for the entry in messages.
  ZipStream(const ZipEntry& entry, FileName name);
  ~ZipStream();
  ZipStream(ZipStream&&) noexcept;

  /// Appends to `bytes` until they are `size`, at most the entry's. Throws Error(bad_data) where the packed
  /// bytes are damaged or end before.
  void read_up_to(std::size_t size, std::string& bytes);
  /// After the last byte: throws Error(bad_data) where more follow, or the checksum is another.
  void finish();

private:
  struct Inflater;
  std::size_t next(char* to, std::size_t size);

  const ZipEntry& entry_;
  FileName name_;
  std::string_view left_; ///< packed bytes that no one has taken
  std::size_t done_ = 0;
  std::uint32_t checksum_ = 0;
  std::unique_ptr<Inflater> inflater_; ///< none: the entry is stored
};

} // namespace tfx
