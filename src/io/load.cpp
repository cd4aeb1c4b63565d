#include "io/load.hpp"

#include "io/csv.hpp"
#include "io/file.hpp"
#include "io/message.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tfx {

namespace {

using namespace std::literals;

enum class Kind { npy, npz, safetensors, text };

/// What the first bytes tell. The upper half of a safetensors file's header size is zero, and no text holds
/// NUL.
Kind kind_of_content(std::string_view bytes) {
  if (bytes.starts_with("\x93NUMPY")) return Kind::npy;
  if (bytes.starts_with("PK\x03\x04") || bytes.starts_with("PK\x05\x06"))
    return Kind::npz; // the second is empty
  if (bytes.size() > 8 && bytes.substr(4, 5) == "\0\0\0\0{"sv) return Kind::safetensors;
  return Kind::text;
}

/// What the extension tells, where it tells anything; else the content.
Kind kind_of(const std::string& path, std::string_view bytes) {
  const std::size_t dot = path.find_last_of("./");
  std::string extension = dot == path.npos ? "" : path.substr(dot);
  for (char& letter : extension)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  if (extension == ".npy") return Kind::npy;
  if (extension == ".npz") return Kind::npz;
  if (extension == ".safetensors") return Kind::safetensors;
  if (extension == ".csv" || extension == ".tsv" || extension == ".txt") return Kind::text;
  return kind_of_content(bytes);
}

std::string shown_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

[[noreturn]] void refuse_empty(const std::string& name) {
  refuse_file(name, "the file is empty", "give a .npy, .npz, .safetensors or .csv file");
}

/// "W_Q (3, 3), W_K (3, 3), …"
std::string list_of(const std::vector<NamedArray>& arrays) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(arrays.size(), most); ++i)
    text += fmt::format("{}{} {}", i ? ", " : "", printable(arrays[i].name),
                        to_string(arrays[i].array.values.shape));
  return arrays.size() > most ? text + ", …" : text;
}

Array only_one(std::vector<NamedArray> arrays, const std::string& name) {
  if (arrays.size() == 1) return std::move(arrays[0].array);
  const std::string found = arrays.empty() ? "no array" : fmt::format("{} arrays", arrays.size());
  refuse_file(name,
              fmt::format("one array is needed here, the file holds {}{}{}", found,
                          arrays.empty() ? "" : ": ", list_of(arrays)),
              "save the one you mean: np.save(\"Q.npy\", Q)");
}

} // namespace

Array load_array(const std::string& path) {
  const std::string bytes = read_file(path), name = shown_name(path);
  if (bytes.empty()) refuse_empty(name);
  switch (kind_of(path, bytes)) {
  case Kind::npy: return read_npy(bytes, name);
  case Kind::npz: return only_one(read_npz(bytes, name), name);
  case Kind::safetensors: return only_one(read_safetensors(bytes, name).tensors, name);
  case Kind::text: break;
  }
  return {DType::f64, read_matrix_csv(bytes, name)};
}

std::vector<NamedArray> load_arrays(const std::string& path) {
  const std::string bytes = read_file(path), name = shown_name(path);
  if (bytes.empty()) refuse_empty(name);
  // A damaged first byte must not turn a checkpoint into text: a name that says safetensors is believed.
  const Kind content = kind_of_content(bytes), kind = content == Kind::text ? kind_of(path, bytes) : content;
  if (kind == Kind::npz) return read_npz(bytes, name);
  if (kind == Kind::safetensors) return read_safetensors(bytes, name).tensors;
  refuse_file(name,
              fmt::format("{} has no names for its numbers, and names are needed here",
                          kind == Kind::npy ? "a .npy file" : "a text file"),
              "save the arrays under their names: np.savez(\"weights.npz\", W_Q=W_Q, W_K=W_K, W_V=W_V)");
}

} // namespace tfx
