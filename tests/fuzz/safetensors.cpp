// safetensors files: their headers, their values, their checksum.
#include "io/safetensors.hpp"
#include "fuzz.hpp"
#include "io/array_file.hpp"
#include "io/known_programs.hpp"

namespace tfx::fuzz {

void one_input(std::string_view bytes) {
  const std::string name = "x.safetensors";
  (void)read_or_refuse(name, [&] { return tied_tables(TensorFile(name, std::string(bytes))).size(); });
  const auto file = read_or_refuse(name, [&] { return read_safetensors(bytes, name); });
  (void)read_or_refuse(name, [&] {
    verify_checksum(bytes, parse_safetensors_header(bytes, name), name);
    return true;
  });
  if (!file) return;

  std::vector<SafetensorsEntry> entries;
  for (const NamedArray& tensor : file->tensors)
    entries.push_back({tensor.name, &tensor.array.values, DType::f64});
  const Safetensors again = read_safetensors(write_safetensors(entries, file->metadata), name);
  require(again.metadata == file->metadata, "the metadata come back");
  require(again.tensors.size() == file->tensors.size(), "as many tensors come back");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    require(again.tensors[i].name == entries[i].name, "the names come back in order");
    require(same(again.tensors[i].array.values, *entries[i].values), "the values come back");
  }

  std::string with_checksum = write_safetensors(entries, checksum_metadata());
  write_checksum(with_checksum);
  verify_checksum(with_checksum, parse_safetensors_header(with_checksum, name), name);
}

} // namespace tfx::fuzz
