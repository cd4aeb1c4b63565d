#include "io/foreign_file.hpp"

#include "error_of.hpp"
#include "io/array_file.hpp"
#include "io/load.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <map>

using namespace tfx;
using namespace std::literals;

namespace {

struct Foreign {
  std::string bytes, what, hint;
};

/// The beginning of a zip archive whose first entry has that name.
std::string zip_with(const std::string& name) {
  const std::string length{static_cast<char>(name.size()), '\0'};
  return "PK\x03\x04" + std::string(22, '\0') + length + "\0\0"s + name + "…";
}

const std::map<std::string, Foreign>& foreign_files() {
  static const std::map<std::string, Foreign> all{
      {"model.pt", {zip_with("archive/data.pkl"), "a file of torch.save", "safetensors.torch.save_file"}},
      {"old.pth",
       {"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."s, "a file of torch.save", "np.save"}},
      {"x.pkl", {"\x80\x04\x95\x05\0\0\0\0\0\0\0]\x94."s, "a pickle", "np.save"}},
      {"tokenizer.json",
       {R"({"version": "1.0", "added_tokens": [], "pre_tokenizer": null, "model": {"merges": []}})",
        "a tokenizer.json", "model.save"}},
      {"marked.csv", {"\xFF\xFE"s + "1\0,\0"s + "2\0\n\0"s, "text in UTF-16,", "iconv -f UTF-16 -t UTF-8"}},
      {"little.csv", {"1\0,\0"s + "2\0\n\0"s, "text in UTF-16LE,", "iconv -f UTF-16LE -t UTF-8"}},
      {"big.csv", {"\0"s + "1\0,\0"s + "2\0\n"s, "text in UTF-16BE,", "iconv -f UTF-16BE -t UTF-8"}},
      {"x.npy.gz", {"\x1f\x8b\x08\0"s, "compressed by gzip", "gzip -dc"}},
      {"x.h5", {"\x89HDF\r\n\x1a\n\0"s, "an HDF5 file", "h5py.File"}},
      {"model.gguf", {"GGUF\x03\0\0\0"s, "a GGUF file", ".safetensors"}}};
  return all;
}

} // namespace

TEST_CASE("a file of another program is refused by what it is, with the way out, wherever it is read",
          "[io]") {
  const TemporaryFolder folder;
  for (const auto& [name, file] : foreign_files()) {
    INFO(name);
    const std::string path = folder.write(name, file.bytes);
    const std::function<void()> readers[] = {[&] { load_array(path); },    [&] { load_content(path); },
                                             [&] { load_labelled(path); }, [&] { named_tensors(path); },
                                             [&] { TensorFile{path}; },    [&] { ArrayFile{path}; },
                                             [&] { read_text(path); }};
    for (const auto& read : readers) {
      const Error error = check_error(ErrorKind::bad_data, "this is " + file.what, read);
      CHECK(error.hint().in_english().find(file.hint) != std::string::npos);
    }
  }
}

TEST_CASE("the beginning of a mark is no file of another program", "[io]") {
  for (const std::string bytes : {"", "G", "GGUF", "GGUF\1", "\x89HDF", "\x1f", "\xFF"})
    CHECK_NOTHROW(refuse_foreign(shown_name("x"), bytes));
}

TEST_CASE("what tfx reads is no file of another program", "[io]") {
  const Tensor square({2, 2}, {1, 2, 3, 4});
  std::string long_header = write_safetensors({{"Q", &square}});
  long_header[0] = '\x80', long_header[1] = '\x02', long_header.back() = '.'; // as a pickle begins and ends
  for (const std::string& bytes :
       {write_npy(square), write_npz({{"Q", &square}}), write_safetensors({{"Q", &square}}), long_header,
        zip_with("data.npy"), "1,2\n3,4\n"s, "GGUF is a format.\n"s, "词\n"s, "\xEF\xBB\xBF"s + "a\tb\n",
        R"({"model": "gpt2", "added_tokens": []})"s, ""s, "\0"s, "ab"s})
    CHECK_NOTHROW(refuse_foreign("file", bytes));
}
