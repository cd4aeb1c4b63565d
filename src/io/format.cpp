#include "io/format.hpp"

#include "io/message.hpp"

#include <optional>

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

} // namespace tfx
