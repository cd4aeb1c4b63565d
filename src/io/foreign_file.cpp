#include "io/foreign_file.hpp"

#include "io/file.hpp"
#include "io/load.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace tfx {

using namespace std::literals;

namespace {

/// A zip archive whose first entry is FOLDER/data.pkl.
bool is_torch_zip(std::string_view bytes) {
  constexpr std::size_t header = 30, length_at = 26;
  if (!bytes.starts_with("PK\x03\x04") || bytes.size() < header) return false;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const std::size_t length = byte(length_at) + std::size_t{256} * byte(length_at + 1);
  const std::string_view name = bytes.substr(header, length);
  return name.size() == length && (name == "data.pkl" || name.ends_with("/data.pkl"));
}

/// Before PyTorch 1.6: a pickle of protocol 2 that starts with torch.save's magic number, a long of 10 bytes.
bool is_torch_pickle(std::string_view bytes) {
  return bytes.starts_with("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19");
}

/// Of protocol 2 to 5; its last byte says stop.
bool is_pickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5 && bytes.back() == '.';
}

/// "UTF-16" with its mark, UTF-16LE or UTF-16BE where every second byte of its beginning is 0, as of plain
/// letters and digits.
std::optional<std::string> utf_16(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return "UTF-16";
  constexpr std::size_t looked_at = 64;
  const std::string_view start = bytes.substr(0, std::min(bytes.size(), looked_at) / 2 * 2);
  if (start.size() < 4) return std::nullopt;
  const auto zeros = [&](std::size_t first, bool wanted) {
    for (std::size_t i = first; i < start.size(); i += 2)
      if ((start[i] == '\0') != wanted) return false;
    return true;
  };
  if (zeros(1, true) && zeros(0, false)) return "UTF-16LE";
  if (zeros(0, true) && zeros(1, false)) return "UTF-16BE";
  return std::nullopt;
}

/// JSON with the parts that every tokenizer.json has. They stand at its beginning but for "model", which may
/// come behind hundreds of added tokens.
bool is_tokenizer_json(std::string_view bytes) {
  constexpr std::size_t beginning = 4096;
  const std::size_t first = bytes.find_first_not_of(" \t\r\n", bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  if (first == std::string_view::npos || bytes[first] != '{') return false;
  const auto has = [&](std::string_view part, std::size_t within) {
    return bytes.substr(0, within).find(part) != std::string_view::npos;
  };
  return has("\"added_tokens\"", beginning) && has("\"pre_tokenizer\"", bytes.size()) &&
         has("\"model\"", bytes.size());
}

} // namespace

void refuse_foreign(const FileName& file, std::string_view bytes) {
  // It begins with the length of its header, which may be any of the marks below.
  if (format_of_content(bytes) == FileFormat::safetensors) return;
  if (is_torch_zip(bytes) || is_torch_pickle(bytes))
    refuse_file(file, said("this is a file of torch.save, which holds Python's objects, not arrays alone"),
                said("in Python: t = torch.load(\"x.pt\", map_location=\"cpu\"); then of a state_dict "
                     "safetensors.torch.save_file(t, \"x.safetensors\"), of one tensor np.save(\"x.npy\", "
                     "t.numpy())"));
  if (is_pickle(bytes))
    refuse_file(
        file, said("this is a pickle, which may run any program when it is read"),
        said("in Python: x = pickle.load(open(\"x.pkl\", \"rb\")); then of one array np.save(\"x.npy\", "
             "x), of several with names np.savez(\"x.npz\", **x)"));
  if (bytes.starts_with("\x1f\x8b"))
    refuse_file(file, said("this is compressed by gzip"), said("unpack it: gzip -dc FILE.gz > FILE"));
  if (bytes.starts_with("\x89HDF\r\n\x1a\n"))
    refuse_file(file, said("this is an HDF5 file, as h5py and Keras write them"),
                said("in Python: np.save(\"x.npy\", h5py.File(\"x.h5\")[\"name\"][()]); "
                     "list(h5py.File(\"x.h5\")) has the names"));
  if (bytes.starts_with("GGUF") && bytes.size() >= 8 && bytes.substr(5, 3) == "\0\0\0"sv)
    refuse_file(file, said("this is a GGUF file, as llama.cpp reads them, whose numbers are mostly rounded"),
                said("take the .safetensors files of the model that it was made of"));
  if (const std::optional<std::string> encoding = utf_16(bytes))
    refuse_file(file, said("this is text in {encoding}, and UTF-8 is read here", {{"encoding", *encoding}}),
                said("convert it: iconv -f {encoding} -t UTF-8 FILE > NEW", {{"encoding", *encoding}}));
  if (is_tokenizer_json(bytes))
    refuse_file(file, said("this is a tokenizer.json, as Hugging Face's tokenizers write them"),
                said("byte pairs are read from merges.txt and vocab.json; in Python: "
                     "tokenizers.Tokenizer.from_file(\"tokenizer.json\").model.save(\".\") writes both"));
}

std::string read_text(const std::string& path) {
  std::string bytes = read_file(path);
  refuse_foreign(shown_name(path), bytes);
  return bytes;
}

} // namespace tfx
