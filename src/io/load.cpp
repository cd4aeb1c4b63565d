#include "io/load.hpp"

#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "io/message.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace tfx {

using namespace std::literals;

FileFormat format_of_content(std::string_view bytes) {
  if (bytes.starts_with("\x93NUMPY")) return FileFormat::npy;
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) // the second is empty
    return FileFormat::zip;
  if (bytes.size() > 8 && bytes.substr(4, 5) == "\0\0\0\0{"sv) return FileFormat::safetensors;
  return FileFormat::text;
}

Message describe(FileFormat format) {
  switch (format) {
  case FileFormat::npy: return said("a .npy file");
  case FileFormat::zip: return said("a zip archive, as .npz and .xlsx files are");
  case FileFormat::safetensors: return said("a .safetensors file");
  case FileFormat::text: break;
  }
  return said("a text file");
}

namespace {

/// What the extension says, where it says anything.
std::optional<FileFormat> format_of_name(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  std::string extension = dot == path.npos ? "" : path.substr(dot);
  for (char& letter : extension)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  if (extension == ".npy") return FileFormat::npy;
  if (extension == ".npz") return FileFormat::zip;
  if (extension == ".safetensors") return FileFormat::safetensors;
  if (extension == ".csv" || extension == ".tsv" || extension == ".txt") return FileFormat::text;
  return std::nullopt;
}

} // namespace

FileFormat format_of(const std::string& path, std::string_view bytes) {
  const FileFormat content = format_of_content(bytes), format = format_of_name(path).value_or(content);
  if (format == content || content == FileFormat::text) return format;
  refuse_file(path, said("this is {kind}, whatever its name says", {{"kind", describe(content)}}),
              content == FileFormat::npy           ? said("rename it so that it ends in .npy")
              : content == FileFormat::safetensors ? said("rename it so that it ends in .safetensors")
                                                   : said("rename an npz so that it ends in .npz; export a "
                                                          "spreadsheet as \"CSV UTF-8\""));
}

namespace {

[[noreturn]] void refuse_empty(const std::string& name) {
  refuse_file(name, said("the file is empty"), said("give a .npy, .npz, .safetensors or .csv file"));
}

/// "W_Q (3, 3), W_K (3, 3), …"
std::string list_of(const std::vector<NamedArray>& arrays) {
  constexpr std::size_t max_listed = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(arrays.size(), max_listed); ++i)
    text += fmt::format("{}{} {}", i ? ", " : "", printable(arrays[i].name),
                        to_string(arrays[i].array.values.shape));
  return arrays.size() > max_listed ? text + ", …" : text;
}

Array only_one(std::vector<NamedArray> arrays, const std::string& name) {
  if (arrays.size() == 1) return std::move(arrays[0].array);
  refuse_file(name,
              arrays.empty() ? said("one array is needed here, the file holds no array")
                             : said("one array is needed here, the file holds {count} arrays: {names}",
                                    {{"count", arrays.size()}, {"names", list_of(arrays)}}),
              said("save the one you mean: np.save(\"Q.npy\", Q)"));
}

} // namespace

std::string shown_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

Content load_content(const std::string& path) {
  const std::string bytes = read_file(path), name = shown_name(path);
  if (bytes.empty()) refuse_empty(name);
  refuse_foreign(name, bytes);
  switch (format_of(path, bytes)) {
  case FileFormat::npy: return {{{"", read_npy(bytes, name)}}};
  case FileFormat::zip: return {read_npz(bytes, name), true};
  case FileFormat::safetensors: return {read_safetensors(bytes, name).tensors, true};
  case FileFormat::text: break;
  }
  CsvMatrix table = read_matrix_csv(bytes, name);
  return {{{"", {DType::f64, std::move(table.values), std::move(table.header)}}}, false, true};
}

Array load_array(const std::string& path) {
  Content content = load_content(path);
  return content.named ? only_one(std::move(content.arrays), shown_name(path))
                       : std::move(content.arrays[0].array);
}

Csv load_labelled(const std::string& path) {
  const std::string bytes = read_text(path), name = shown_name(path);
  if (const FileFormat format = format_of_content(bytes); format != FileFormat::text)
    refuse_file(name, said("this is {kind}, and words need a text table", {{"kind", describe(format)}}),
                said("write a word and its numbers a line, with commas between them: cat,0.1,0.2"));
  return read_labelled_csv(bytes, name);
}

TensorFile named_tensors(const std::string& path) {
  std::string bytes = read_file(path);
  const std::string name = shown_name(path);
  if (bytes.empty()) refuse_empty(name);
  refuse_foreign(name, bytes);
  // A damaged first byte must not turn a checkpoint into text: a name that says safetensors is believed.
  const FileFormat content = format_of_content(bytes),
                   format = content == FileFormat::text ? format_of(path, bytes) : content;
  if (format == FileFormat::zip || format == FileFormat::safetensors)
    return TensorFile(name, std::move(bytes));
  refuse_file(
      name,
      said("{kind} has no names for its numbers, and names are needed here", {{"kind", describe(format)}}),
      said("save the arrays under their names: np.savez(\"weights.npz\", W_Q=W_Q, W_K=W_K, W_V=W_V)"));
}

} // namespace tfx
