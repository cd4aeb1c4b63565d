#pragma once
// NumPy's npz format: a zip of npy files. Read from memory as a hostile file; written with the same bytes
// every time.

#include "io/array.hpp"
#include "io/message.hpp"
#include "io/npy.hpp"
#include "io/zip.hpp"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// One array at a time. The bytes must outlive the reader.
class NpzReader {
public:
  /// Checks the table of contents: at most 1,024 entries, unique plain names, stored or deflated, not
  /// encrypted. `name` stands for the file in messages. With Others::kept files that are no arrays and arrays
  /// of no numbers may stand among them; they are never read. Throws Error(bad_data).
  NpzReader(std::string_view bytes, FileName name, Others others = Others::refused);

  /// The arrays' names without ".npy", in the file's order; of other files the whole name.
  std::vector<std::string> names() const;
  bool has(const std::string& array) const;
  /// Bytes that an entry has unpacked.
  std::size_t size(const std::string& array) const;

  /// What an array's own header says, proved against its size in the table of contents; its values are not
  /// read. Its member `other` says of an entry that is not read what it is.
  NpyHeader header(const std::string& array) const;

  /// One array. Its declared size must agree with its own header before it is inflated; its CRC is checked.
  /// Throws Error(bad_data) where the file is wrong, holds no such array, or unpacks to more than 48 MB that
  /// are more than 32 times what it takes in the file.
  Array read(const std::string& array) const;

private:
  struct Opened;
  Opened open(const std::string& array) const;

  const ZipEntry& entry(const std::string& array) const;

  FileName name_;
  std::vector<ZipEntry> entries_; ///< their names without ".npy"
  std::set<std::string> no_arrays_;
  Others others_;
};

/// Every array of an npz file, in the file's order. Throws Error(bad_data), for all of them together too.
std::vector<NamedArray> read_npz(std::string_view bytes, const FileName& name);

struct NpzEntry {
  std::string name; ///< without ".npy"
  const Tensor* values = nullptr;
  DType dtype = DType::f64; ///< one that write_npy writes
};

/// An npz file, stored (not compressed), entries in the order given, dated 1980-01-01 as np.savez dates them:
/// equal arrays give equal bytes. Throws Error(internal) where two entries share a name or a name is not
/// plain.
std::string write_npz(const std::vector<NpzEntry>& entries);

} // namespace tfx
