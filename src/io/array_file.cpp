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
  if (bytes.empty()) refuse_file(name_, "the file is empty", "give a .npy, .npz, .safetensors or .csv file");
  switch (format_of(path, bytes)) {
  case FileFormat::zip:
  case FileFormat::safetensors:
    format_ = bytes.starts_with("PK") ? "npz" : "safetensors";
    named_ = std::make_unique<TensorFile>(name_, std::move(bytes));
    return;
  case FileFormat::npy: {
    const NpyHeader header = npy_header_of(bytes, name_);
    format_ = "npy", npy_ = std::move(bytes);
    one_.push_back({"", header.dtype, header.shape});
    return;
  }
  case FileFormat::text:
    format_ = "csv", table_ = read_matrix_csv(bytes, name_);
    one_.push_back({"", DType::f64, table_.values.shape});
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
  return npy_.empty() ? table_.values : read_npy(npy_, name_).values;
}

void ArrayFile::each_piece(std::size_t i, const TakePiece& take) const {
  if (named_)
    named_->each_piece(i, take);
  else if (npy_.empty())
    take(table_.values.data);
  else
    each_npy_piece(npy_, name_, take);
}

} // namespace tfx
