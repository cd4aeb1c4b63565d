#include "io/kind.hpp"

#include "io/message.hpp"

#include <optional>

namespace tfx {

using namespace std::literals;

FileKind kind_of_content(std::string_view bytes) {
  if (bytes.starts_with("\x93NUMPY")) return FileKind::npy;
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06")) // the second is empty
    return FileKind::zip;
  if (bytes.size() > 8 && bytes.substr(4, 5) == "\0\0\0\0{"sv) return FileKind::safetensors;
  return FileKind::text;
}

const char* describe(FileKind kind) {
  switch (kind) {
  case FileKind::npy: return "a .npy file";
  case FileKind::zip: return "a zip archive, as .npz and .xlsx files are";
  case FileKind::safetensors: return "a .safetensors file";
  case FileKind::text: break;
  }
  return "a text file";
}

namespace {

/// What the extension says, where it says anything.
std::optional<FileKind> kind_of_name(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  std::string extension = dot == path.npos ? "" : path.substr(dot);
  for (char& letter : extension)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  if (extension == ".npy") return FileKind::npy;
  if (extension == ".npz") return FileKind::zip;
  if (extension == ".safetensors") return FileKind::safetensors;
  if (extension == ".csv" || extension == ".tsv" || extension == ".txt") return FileKind::text;
  return std::nullopt;
}

} // namespace

FileKind kind_of(const std::string& path, std::string_view bytes) {
  const FileKind content = kind_of_content(bytes), kind = kind_of_name(path).value_or(content);
  if (kind == content || content == FileKind::text) return kind;
  const char* const hint =
      content == FileKind::npy ? "rename it so that it ends in .npy"
      : content == FileKind::safetensors
          ? "rename it so that it ends in .safetensors"
          : "rename an npz so that it ends in .npz; export a spreadsheet as \"CSV UTF-8\"";
  refuse_file(path, std::string("this is ") + describe(content) + ", whatever its name says", hint);
}

} // namespace tfx
