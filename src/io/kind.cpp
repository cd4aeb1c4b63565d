#include "io/kind.hpp"

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

} // namespace tfx
