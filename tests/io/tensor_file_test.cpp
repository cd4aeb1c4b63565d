#include "io/array_file.hpp"

#include "error_of.hpp"
#include "io/limits.hpp"
#include "io/npz.hpp"
#include "io/safetensors.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace tfx;

namespace {

const Tensor a({2, 3}, {1, 2, 3, 4, 5, 6.5}), b(Shape{2}, {-1, 0.25});

void check(const TensorFile& file) {
  REQUIRE(file.entries().size() == 2);
  CHECK(file.entries()[0].name == "a");
  CHECK(file.entries()[0].shape == Shape{2, 3});
  CHECK(file.entries()[0].dtype == DType::f64);
  CHECK(file.entries()[1].name == "b.c");
  CHECK(file.entries()[1].dtype == DType::f32);
  CHECK(file.read(1) == b.data);
  CHECK(file.read(0) == a.data);
  CHECK(file.read(1) == b.data);
}

} // namespace

TEST_CASE("a name looks like a file's by its folder, its extension or because there is one", "[io]") {
  for (const char* name : {"./tiny", "x.npz", "x.safetensors", "."}) CHECK(looks_like_file(name));
  for (const char* name : {"tiny", "x.npy", ""}) CHECK_FALSE(looks_like_file(name));
}

TEST_CASE("tensors are known by name, type and shape before they are read, in any order", "[io]") {
  const TemporaryFolder folder;
  const std::string npz = write_npz({{"a", &a, DType::f64}, {"b.c", &b, DType::f32}}),
                    safetensors =
                        write_safetensors({{"a", &a, DType::f64}, {"b.c", &b, DType::f32}}, {{"k", "v"}});
  check(TensorFile(folder.write("x.npz", npz)));
  check(TensorFile(folder.write("no extension", npz)));
  check(TensorFile(folder.write("wrong.safetensors", npz)));
  check(TensorFile(folder.write("x.safetensors", safetensors)));
  const TensorFile file(folder.write("no extension", safetensors));
  check(file);
  CHECK(file.metadata() == std::map<std::string, std::string>{{"k", "v"}});
}

TEST_CASE("a file of neither format, or a damaged one, is refused before anything is read", "[io]") {
  const TemporaryFolder folder;
  check_error(ErrorKind::bad_data, "x.npz", [&] { TensorFile file(folder.write("x.npz", "text")); });
  check_error(ErrorKind::bad_data, "too few for a header",
              [&] { TensorFile file(folder.write("x", "text")); });
  std::string npz = write_npz({{"a", &a, DType::f64}});
  npz[npz.find("(2, 3)") + 1] = '9'; // the header no longer agrees with the entry's size
  check_error(ErrorKind::bad_data, "x.npz: a.npy: shape (9, 3) of float64 takes 216 bytes",
              [&] { TensorFile file(folder.write("x.npz", npz)); });
  check_error(ErrorKind::no_input, "missing", [] { TensorFile file("/missing"); });
}

TEST_CASE("an npy file is told by what it is, whatever its name says", "[io]") {
  const std::string bytes = write_npy(Tensor(Shape{2}, {1, 2}));
  for (const char* name : {"x.npy", "model", "model.safetensors", "model.npz"}) {
    const Error error = error_of([&] { TensorFile(name, bytes); });
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK(error.what() ==
          std::string(name) + ": this is a .npy file: one array, and a model is many with names");
    CHECK(error.hint().in_english() == "a model is a .npz or .safetensors file");
  }
}

TEST_CASE("a tensor that is large enough to ask for memory is read", "[io]") {
  Tensor large({worth_asking / sizeof(double) + 1});
  large.data.back() = 0.5;
  const TemporaryFolder folder;
  const TensorFile file(folder.write("x.safetensors", write_safetensors({{"a", &large, DType::f32}}, {})));
  CHECK(file.read(0) == large.data);
}
