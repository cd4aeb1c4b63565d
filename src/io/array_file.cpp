#include "io/array_file.hpp"

#include "core/memory.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "io/limits.hpp"
#include "io/load.hpp"
#include "io/message.hpp"
#include "io/npy.hpp"
#include "io/safetensors.hpp"

#include <cstring>
#include <filesystem>

namespace tfx {

bool looks_like_file(const std::string& name) {
  std::error_code ignored;
  return name.find('/') != std::string::npos || name.ends_with(".npz") || name.ends_with(".safetensors") ||
         std::filesystem::exists(name, ignored);
}

TensorFile::TensorFile(std::string path) : TensorFile(path, read_file(path)) {}

TensorFile::TensorFile(std::string path, std::string bytes)
    : path_(std::move(path)), bytes_(std::move(bytes)) {
  refuse_foreign(path_, bytes_);
  const FileFormat content = format_of_content(bytes_);
  if (content == FileFormat::npy)
    refuse_file(
        path_,
        said("this is {kind}: one array, and a model is many with names", {{"kind", describe(content)}}),
        said("a model is a .npz or .safetensors file"));
  if (content != FileFormat::safetensors && (bytes_.starts_with("PK") || path_.ends_with(".npz"))) {
    npz_.emplace(bytes_, path_, Others::kept);
    for (const std::string& name : npz_->names()) {
      NpyHeader header = npz_->header(name);
      const std::size_t size = npz_->size(name) - header.data_offset;
      entries_.push_back({name, header.dtype, std::move(header.shape), size, std::move(header.other)});
    }
    return;
  }
  header_ = parse_safetensors_header(bytes_, path_);
  verify_checksum(bytes_, header_, path_);
  for (const auto& entry : header_.entries)
    entries_.push_back({entry.name, entry.dtype, entry.shape, entry.bytes(), entry.other});
}

std::vector<double> TensorFile::read(std::size_t i) const {
  const Entry& wanted = entries_[i];
  if (npz_) return npz_->read(wanted.name).values.data;
  const SafetensorsHeader::StoredTensor& entry = header_.entries[i];
  const std::size_t size = element_count(entry.shape) * sizeof(double);
  if (size >= worth_asking)
    require_memory(static_cast<double>(size), said("reading {file}", {{"file", FileName(path_)}}));
  return read_safetensors_values(bytes_, header_, entry, path_);
}

bool TensorFile::same_values(std::size_t i, std::size_t j) const {
  if (!entries_[i].is_read() || !entries_[j].is_read()) return false;
  if (entries_[i].dtype != entries_[j].dtype || entries_[i].shape != entries_[j].shape) return false;
  if (!npz_) {
    const auto bytes = [&](std::size_t entry) {
      const SafetensorsHeader::StoredTensor& one = header_.entries[entry];
      return std::string_view(bytes_).substr(header_.data_offset + one.begin, one.bytes());
    };
    return bytes(i) == bytes(j);
  }
  const std::vector<double> a = read(i), b = read(j);
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void TensorFile::each_piece(std::size_t i, const TakePiece& take) const {
  if (npz_)
    take(npz_->read(entries_[i].name).values.data);
  else
    each_safetensors_piece(bytes_, header_, header_.entries[i], path_, take);
}

ArrayFile::ArrayFile(const std::string& path) : name_(shown_name(path)) {
  std::string bytes = read_file(path);
  size_ = bytes.size();
  if (bytes.empty())
    refuse_file(name_, said("the file is empty"), said("give a .npy, .npz, .safetensors or .csv file"));
  refuse_foreign(name_, bytes);
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
  if (no_table_) throw Error(*no_table_);
  return npy_.empty() ? table_.values : read_npy(npy_, name_).values;
}

void ArrayFile::each_piece(std::size_t i, const TakePiece& take) const {
  if (no_table_) throw Error(*no_table_);
  if (named_)
    named_->each_piece(i, take);
  else if (npy_.empty())
    take(table_.values.data);
  else
    each_npy_piece(npy_, name_, take);
}

} // namespace tfx
