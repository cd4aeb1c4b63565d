#include "io/load.hpp"

#include "error_of.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <cstdio>
#include <filesystem>

#include <unistd.h>

using namespace tfx;
using namespace std::literals;

namespace {

const Tensor square({2, 2}, {1, 2, 3, 4});
const Tensor line(Shape{3}, {5, 6, 7});

std::string one_safetensors() {
  return write_safetensors({{"Q", &square}});
}
std::string two_safetensors() {
  return write_safetensors({{"Q", &square}, {"b", &line}});
}
std::string one_npz() {
  return write_npz({{"Q", &square}});
}
std::string two_npz() {
  return write_npz({{"Q", &square}, {"b", &line}});
}

} // namespace

TEST_CASE("an array is loaded from every format by its extension", "[io]") {
  const TemporaryFolder folder;
  CHECK(load_array(folder.write("a.npy", write_npy(square))).values == square);
  CHECK(load_array(folder.write("a.NPY", write_npy(square))).values == square);
  CHECK(load_array(folder.write("a.npz", one_npz())).values == square);
  CHECK(load_array(folder.write("a.csv", "1,2\n3,4\n")).values == square);
  CHECK(load_array(folder.write("a.tsv", "1\t2\n3\t4\n")).values == square);
  CHECK(load_array(folder.write("a.txt", "1 2\n3 4\n")).values == square);
  CHECK(load_array(folder.write("a.safetensors", one_safetensors())).values == square);
}

TEST_CASE("content says whether its arrays have names, and whether it is text", "[io]") {
  const TemporaryFolder folder;
  const Content two = load_content(folder.write("a.npz", two_npz()));
  CHECK(two.named);
  REQUIRE(two.arrays.size() == 2);
  CHECK(two.arrays[1].name == "b");
  const Content npy = load_content(folder.write("a.npy", write_npy(square)));
  CHECK_FALSE(npy.named);
  CHECK_FALSE(npy.text);
  REQUIRE(npy.arrays.size() == 1);
  CHECK(npy.arrays[0].name.empty());
  CHECK(npy.arrays[0].array.values == square);
  CHECK(load_content(folder.write("a.csv", "1,2\n3,4\n")).text);
}

TEST_CASE("the dtype is the file's", "[io]") {
  const TemporaryFolder folder;
  CHECK(load_array(folder.write("a.npy", write_npy(square, DType::f32))).dtype == DType::f32);
  CHECK(load_array(folder.write("a.safetensors", one_safetensors())).dtype == DType::f32);
  CHECK(load_array(folder.write("a.csv", "1,2\n")).dtype == DType::f64);
}

TEST_CASE("without a known extension the content tells the format", "[io]") {
  const TemporaryFolder folder;
  for (const std::string name : {"array", "array.dat", ".hidden"}) {
    CHECK(load_array(folder.write(name, write_npy(square))).values == square);
    CHECK(load_array(folder.write(name, one_npz())).values == square);
    CHECK(load_array(folder.write(name, one_safetensors())).values == square);
    CHECK(load_array(folder.write(name, "a b\n1 2\n3 4\n")).values == square);
  }
  const std::string path = folder.write("a.npy", write_npy(square));
  std::filesystem::create_directory(std::filesystem::path(path).parent_path() /
                                    "v1.csv"); // a dot in a folder's name
  CHECK(load_array(folder.write("v1.csv/array", write_npy(square))).values == square);
}

TEST_CASE("a file of another format than its name says is called what it is", "[io]") {
  const TemporaryFolder folder;
  struct Misnamed {
    const char* name;
    std::string bytes, format, hint;
  };
  const std::vector<Misnamed> files = {
      {"a.csv", write_npy(square), "a .npy file", "ends in .npy"},
      {"a.npz", write_npy(square), "a .npy file", "ends in .npy"},
      {"b.csv", one_npz(), "a zip archive, as .npz and .xlsx files are", "ends in .npz"},
      {"b.txt", "PK\x03\x04 a spreadsheet", "a zip archive, as .npz and .xlsx files are", "\"CSV UTF-8\""},
      {"b.npy", one_npz(), "a zip archive, as .npz and .xlsx files are", "ends in .npz"},
      {"c.tsv", one_safetensors(), "a .safetensors file", "ends in .safetensors"}};
  for (const Misnamed& file : files) {
    const std::string path = folder.write(file.name, file.bytes);
    const Error error = error_of([&] { load_array(path); });
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK(error.what() == path + ": this is " + file.format + ", whatever its name says");
    CHECK_THAT(error.hint().in_english(), Catch::Matchers::ContainsSubstring(file.hint));
  }
}

TEST_CASE("words are read from text, and from nothing else", "[io]") {
  const TemporaryFolder folder;
  const Csv csv = load_labelled(folder.write("words.csv", "cat,1,2\ndog,3,4\n"));
  CHECK(csv.labels == std::vector<std::string>{"cat", "dog"});
  CHECK(csv.values == square);
  for (const std::string& bytes : {write_npy(square), one_npz(), one_safetensors()}) {
    const Error error = error_of([&] { load_labelled(folder.write("words.csv", bytes)); });
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring(", and words need a text table"));
    CHECK_THAT(error.hint().in_english(), Catch::Matchers::ContainsSubstring("cat,0.1,0.2"));
  }
}

TEST_CASE("standard input is sniffed", "[io]") {
  const TemporaryFolder folder;
  const int saved = dup(0);
  for (const std::string& bytes :
       {write_npy(square), one_npz(), one_safetensors(), "1,2\n3,4\n"s, ""s, "x\0"s}) {
    REQUIRE(freopen(folder.write("input", bytes).c_str(), "rb", stdin));
    if (bytes.size() > 2)
      CHECK(load_array("-").values == square);
    else
      CHECK_THAT(error_of([] { load_array("-"); }).what(), Catch::Matchers::StartsWith("standard input: "));
  }
  REQUIRE(dup2(saved, 0) == 0);
  close(saved);
  clearerr(stdin);
}

TEST_CASE("a file with more than one array is refused with its names and shapes", "[io]") {
  const TemporaryFolder folder;
  for (const std::string& path :
       {folder.write("a.npz", two_npz()), folder.write("a.safetensors", two_safetensors())}) {
    const Error error = error_of([&] { load_array(path); });
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK(error.what() == path + ": one array is needed here, the file holds 2 arrays: Q (2, 2), b (3,)");
    CHECK_THAT(error.hint().in_english(), Catch::Matchers::ContainsSubstring("np.save"));
  }
  std::vector<SafetensorsEntry> entries;
  for (int i = 0; i < 30; ++i) entries.push_back({"t" + std::to_string(i), &line});
  const std::string path = folder.write("a.safetensors", write_safetensors(entries));
  CHECK_THAT(error_of([&] { load_array(path); }).what(), Catch::Matchers::EndsWith("t19 (3,), …"));
}

TEST_CASE("a file without an array is refused", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.safetensors", write_safetensors({}));
  CHECK_THAT(error_of([&] { load_array(path); }).what(),
             Catch::Matchers::EndsWith("the file holds no array"));
  for (const char* name : {"a.npy", "a.npz", "a.csv", "a.safetensors", "a"}) {
    const std::string empty = folder.write(name, "");
    for (const auto& load :
         {std::function<void()>([&] { load_array(empty); }), {[&] { named_tensors(empty); }}}) {
      CHECK(error_of(load).kind() == ErrorKind::bad_data);
      CHECK(error_of(load).what() == empty + ": the file is empty");
    }
  }
}

TEST_CASE("named arrays are loaded from npz and safetensors by content", "[io]") {
  const TemporaryFolder folder;
  for (const char* name : {"a.npz", "a.safetensors", "a.csv", "a"})
    for (const std::string& bytes : {two_npz(), two_safetensors()}) {
      const TensorFile file = named_tensors(folder.write(name, bytes));
      REQUIRE(file.entries().size() == 2);
      CHECK(file.entries()[0].name == "Q");
      CHECK(file.read(0) == square.data);
      CHECK(file.entries()[1].name == "b");
      CHECK(file.read(1) == line.data);
    }
}

TEST_CASE("arrays without names are refused where names are needed", "[io]") {
  const TemporaryFolder folder;
  const std::vector<std::string> paths = {folder.write("a.npy", write_npy(square)),
                                          folder.write("b.npz", write_npy(square)),
                                          folder.write("a.csv", "1,2\n"), folder.write("a", "1 2\n")};
  for (const std::string& path : paths) {
    const Error error = error_of([&] { named_tensors(path); });
    INFO(path);
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK_THAT(error.what(), Catch::Matchers::StartsWith(path + ": a "));
    CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("has no names"));
    CHECK_THAT(error.hint().in_english(),
               Catch::Matchers::ContainsSubstring("np.savez(\"weights.npz\", W_Q=W_Q"));
  }
}

TEST_CASE("a damaged checkpoint is refused as what it is, not as text", "[io]") {
  const TemporaryFolder folder;
  std::string bytes = two_safetensors();
  bytes[8] = '[';
  CHECK_THAT(error_of([&] { named_tensors(folder.write("a.safetensors", bytes)); }).what(),
             Catch::Matchers::ContainsSubstring("byte 8: the header does not start with {"));
}

TEST_CASE("a file that is not there is named", "[io]") {
  for (const auto& load :
       {std::function<void()>([] { load_array("no/such.npy"); }), {[] { named_tensors("no/such.npz"); }}}) {
    CHECK(error_of(load).kind() == ErrorKind::no_input);
    CHECK_THAT(error_of(load).what(), Catch::Matchers::ContainsSubstring("no/such.np"));
  }
}
