#pragma once
// A file of any format that tfx reads, as arrays with names: their headers are known before a value is read.

#include "core/error.hpp"
#include "io/csv.hpp"
#include "io/tensor_file.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

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
