#pragma once
// A file of named tensors, .npz or .safetensors, whose contents are known before any of them is read: a
// checkpoint is compared with its model first, and then takes memory tensor by tensor.

#include "io/array.hpp"
#include "io/npz.hpp"
#include "io/safetensors_header.hpp"
#include "io/values.hpp"

#include <map>
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

} // namespace tfx
