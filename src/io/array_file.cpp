#include "io/array_file.hpp"

#include "io/file.hpp"
#include "io/format.hpp"
#include "io/load.hpp"
#include "io/message.hpp"
#include "io/npy.hpp"

namespace tfx {

ArrayFile::ArrayFile(const std::string& path) : name_(shown_name(path)) {
  std::string bytes = read_file(path);
  size_ = bytes.size();
  if (bytes.empty())
    refuse_file(name_, said("the file is empty"), said("give a .npy, .npz, .safetensors or .csv file"));
  switch (format_of(path, bytes)) {
  case FileFormat::zip:
  case FileFormat::safetensors:
    format_ = bytes.starts_with("PK") ? "npz" : "safetensors";
    named_ = std::make_unique<TensorFile>(name_, std::move(bytes));
    return;
  case FileFormat::npy: {
    const NpyHeader header = npy_header_of(bytes, name_, Others::kept);
    format_ = "npy", npy_ = std::move(bytes);
    one_.push_back({"", header.dtype, header.shape, size_ - header.data_offset, header.other});
    return;
  }
  case FileFormat::text:
    try {
      format_ = "csv", table_ = read_matrix_csv(bytes, name_);
      one_.push_back({"", DType::f64, table_.values.shape, table_.values.size() * sizeof(double)});
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_data) throw;
      format_ = "text", no_table_ = error;
      one_.push_back({"", DType::f64, {}, size_, "text"});
    }
  }
}

const std::vector<ArrayFile::Entry>& ArrayFile::entries() const {
  return named_ ? named_->entries() : one_;
}

const std::map<std::string, std::string>& ArrayFile::metadata() const {
  static const std::map<std::string, std::string> none;
  return named_ ? named_->metadata() : none;
}

Tensor ArrayFile::read(std::size_t i) const {
  if (named_) return {entries()[i].shape, named_->read(i)};
  if (no_table_) throw *no_table_;
  return npy_.empty() ? table_.values : read_npy(npy_, name_).values;
}

void ArrayFile::each_piece(std::size_t i, const TakePiece& take) const {
  if (no_table_) throw *no_table_;
  if (named_)
    named_->each_piece(i, take);
  else if (npy_.empty())
    take(table_.values.data);
  else
    each_npy_piece(npy_, name_, take);
}

} // namespace tfx
