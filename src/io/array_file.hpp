#pragma once
// A file as arrays with names, whose headers are known before a value is read: TensorFile is a .npz or
// .safetensors, as a checkpoint that is compared with its model first and then takes memory tensor by tensor;
// ArrayFile is a file of any format that tfx reads.

#include "core/error.hpp"
#include "io/array.hpp"
#include "io/csv.hpp"
#include "io/npz.hpp"
#include "io/safetensors_header.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

/// Where a name may be a file's or one that the program knows: it has a folder or an extension of such files,
/// or there is a file of that name.
bool looks_like_file(const std::string& name);

class TensorFile {
public:
  struct Entry {
    std::string name;
    DType dtype;
    Shape shape;
    std::size_t bytes = 0;  ///< of its values in the file, unpacked
    std::string other = {}; ///< what it is where it is not read: "F8_E4M3", "'<U5'", "file"

    bool is_read() const { return other.empty(); }
    /// "float32", or `other`.
    std::string type() const { return is_read() ? name_of(dtype) : other; }
  };

  /// Reads the file's bytes and proves every header in it. The content tells the format, else the name.
  /// Throws Error(bad_data) where it is neither format or is damaged, Error(no_input) where it cannot be
  /// opened.
  explicit TensorFile(std::string path);
  /// The same of bytes that are there already, an embedded file's; `path` is their name in messages.
  TensorFile(std::string path, std::string bytes);
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  const std::string& path() const { return path_; }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Of a safetensors file; an npz has none.
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }

  /// The cells of entry `i` in C order. Throws Error(bad_data), for an entry that is not read too,
  /// Error(no_memory).
  std::vector<double> read(std::size_t i) const;

  /// The same cells once, in the order of the file: of a safetensors file piece by piece, without memory for
  /// all of them; an npz's array is inflated whole.
  void each_piece(std::size_t i, const TakePiece& take) const;

  /// Whether two entries of one type and shape hold the same bits.
  bool same_values(std::size_t i, std::size_t j) const;

private:
  std::string path_, bytes_;
  std::vector<Entry> entries_;
  std::optional<NpzReader> npz_; ///< none: a safetensors file
  SafetensorsHeader header_;
};

class ArrayFile {
public:
  using Entry = TensorFile::Entry;

  /// "-" is standard input. Reads the bytes and proves every header in them. Throws as load_array does, but
  /// takes any number of arrays, and has an entry for what is not read: text, other types, other files.
  explicit ArrayFile(const std::string& path);

  const std::string& name() const { return name_; } ///< in messages and on screens
  const char* format() const { return format_; }    ///< "npy", "npz", "safetensors", "csv"
  std::size_t size() const { return size_; }        ///< bytes of the file
  /// In the file's order. The one array of an npy or csv file has no name.
  const std::vector<Entry>& entries() const;
  /// Of a safetensors file.
  const std::map<std::string, std::string>& metadata() const;
  /// Of a csv file: its first line where it was taken as names of the columns; else empty.
  const std::string& header() const { return table_.header; }
  /// The file where it has names: what a model is read from.
  const TensorFile* named() const { return named_.get(); }

  /// Entry `i` whole, in C order. Throws Error(bad_data) for one that is not read.
  Tensor read(std::size_t i) const;
  /// Its values once, in the order of the file.
  void each_piece(std::size_t i, const TakePiece& take) const;

private:
  std::string name_;
  const char* format_ = "";
  std::size_t size_ = 0;
  std::unique_ptr<TensorFile> named_; ///< npz, safetensors
  std::string npy_;                   ///< bytes
  CsvMatrix table_;                   ///< csv
  std::vector<Entry> one_;            ///< npy, csv
  std::optional<Error> no_table_;     ///< why a text is no table of numbers
};

} // namespace tfx
