#include "io/safetensors.hpp"

#include "error_of.hpp"
#include "safetensors_files.hpp"
#include "support/catch.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <random>

using namespace tfx;
using namespace std::literals;

namespace {

Array only(const std::string& dtype, const std::string& shape, const std::string& data) {
  const Safetensors file = parsed(file_of("{" + member("a", dtype, shape, 0, data.size()) + "}", data));
  REQUIRE(file.tensors.size() == 1);
  return file.tensors[0].array;
}

} // namespace

TEST_CASE("what is written reads back", "[io]") {
  const Safetensors file = parsed(sample());
  CHECK(file.metadata == std::map<std::string, std::string>{{"format", "pt"}, {"note", "two\nlines"}});
  REQUIRE(file.tensors.size() == 4);
  CHECK(file.tensors[0].name == "encoder.0.W_Q");
  CHECK(file.tensors[0].array.dtype == DType::f64);
  CHECK(file.tensors[0].array.values ==
        Tensor({2, 3}, {1, -2.5, 3e100, -0.0, std::numeric_limits<double>::infinity(), 5e-324}));
  CHECK(std::signbit(file.tensors[0].array.values.data[3]));
  CHECK(file.tensors[1].name == "b");
  CHECK(file.tensors[1].array.dtype == DType::f32);
  CHECK(file.tensors[1].array.values == Tensor(Shape{3}, {0.5, -1, 3}));
  CHECK(file.tensors[2].name == "猫");
  CHECK(file.tensors[2].array.values == Tensor(Shape{}, {7}));
  CHECK(file.tensors[3].array.values == Tensor(Shape{0, 4}));
}

TEST_CASE("the tensors of a written file start at a multiple of 8 bytes", "[io]") {
  const Tensor tensor(Shape{1}, {1});
  for (std::size_t length = 0; length < 9; ++length) {
    const std::string bytes = write_safetensors({{std::string(length, 'n'), &tensor, DType::f64}});
    CHECK(bytes.size() % 8 == 0);
    CHECK(bytes.substr(bytes.size() - 8) == bytes_of(1.0));
    CHECK(parsed(bytes).tensors[0].name.size() == length);
  }
  CHECK(parsed(write_safetensors({})).tensors.empty());
}

TEST_CASE("random tensors survive in both precisions", "[io]") {
  std::mt19937_64 random(1);
  Tensor tensor({7, 11, 13});
  for (double& cell : tensor.data) cell = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  for (double& cell : tensor.data)
    if (std::isnan(cell)) cell = 0;
  for (DType dtype : {DType::f32, DType::f64})
    CHECK(parsed(write_safetensors({{"x", &tensor, dtype}})).tensors[0].array.values == tensor);
}

TEST_CASE("every dtype is read exactly", "[io]") {
  CHECK(only("F64", "[2]", bytes_of(1e300, -0.1)).values.data == std::vector<double>{1e300, -0.1});
  CHECK(only("F32", "[2]", bytes_of(1.5f, 0.1f)).values.data == std::vector<double>{1.5, 0.1f});
  CHECK(only("I32", "[2]", bytes_of(INT32_MIN, INT32_MAX)).values.data ==
        std::vector<double>{-2147483648.0, 2147483647.0});
  CHECK(only("U8", "[2,1]", "\x00\xFF"s).values == Tensor({2, 1}, {0, 255}));
  const std::int64_t largest = std::int64_t{1} << 53;
  CHECK(only("I64", "[2]", bytes_of(largest, -largest)).values.data ==
        std::vector<double>{9007199254740992.0, -9007199254740992.0});
  CHECK(only("BF16", "[2]", bytes_of(std::uint16_t{0x3F80}, std::uint16_t{0xC049})).values.data ==
        std::vector<double>{1, -3.140625});
  CHECK(only("BF16", "[1]", bytes_of(std::uint16_t{1})).dtype == DType::bf16);
  CHECK(only("I64", "[1]", bytes_of(std::int64_t{-1})).dtype == DType::i64);
}

TEST_CASE("tensors come in the order of their bytes, whatever the header's order", "[io]") {
  const std::string header = "{" + member("b", "U8", "[1]", 1, 2) + ", " + member("e", "U8", "[0]", 1, 1) +
                             " ,\n" + member("a", "U8", "[1]", 0, 1) + "}   ";
  const Safetensors file = parsed(file_of(header, "\x05\x06"));
  REQUIRE(file.tensors.size() == 3);
  CHECK(file.tensors[0].name == "a");
  CHECK(file.tensors[1].name == "e");
  CHECK(file.tensors[2].name == "b");
  CHECK(file.tensors[2].array.values.data[0] == 6);
}

TEST_CASE("an integer that a double cannot hold is refused with its cell", "[io]") {
  const auto refused = [](const std::string& shape, const std::string& data, const std::string& message) {
    const Error error = check_error(ErrorKind::bad_data, "x.safetensors: tensor \"a\": cell " + message,
                                    [&] { only("I64", shape, data); });
    CHECK_FALSE(error.hint().empty());
  };
  refused("[1,2]", bytes_of(std::int64_t{1}, (std::int64_t{1} << 53) + 1),
          "(0, 1) holds 9007199254740993, which a double cannot hold");
  refused("[]", bytes_of(INT64_MIN), "() holds -9223372036854775808");
}

TEST_CASE("tensors in half precision take two bytes a cell and come back rounded", "[io]") {
  const Tensor tensor(Shape{2, 2}, {0.1, -2.5, 65504, 1e-9});
  const std::string bytes = write_safetensors({{"x", &tensor, DType::f16}});
  CHECK(bytes.size() == write_safetensors({{"x", &tensor, DType::f32}}).size() - 8);
  CHECK(bytes.substr(bytes.size() - 8) == "\x66\x2E\x00\xC1\xFF\x7B\x00\x00"s); // np.float16
  const Array array = parsed(bytes).tensors[0].array;
  CHECK(array.dtype == DType::f16);
  CHECK(array.values == Tensor(Shape{2, 2}, {0x333p-13, -2.5, 65504, 0}));
}

TEST_CASE("tensors in bfloat16 take two bytes a cell and come back rounded", "[io]") {
  const Tensor tensor(Shape{2}, {0.1, -2.5}), too_large(Shape{1}, {0x1.FFp127});
  const std::string bytes = write_safetensors({{"x", &tensor, DType::bf16}});
  CHECK(bytes.substr(bytes.size() - 4) == "\xCD\x3D\x20\xC0"s); // torch.bfloat16
  const Array array = parsed(bytes).tensors[0].array;
  CHECK(array.dtype == DType::bf16);
  CHECK(array.values == Tensor(Shape{2}, {0xCDp-11, -2.5}));
  CHECK(error_of([&] { write_safetensors({{"a", &too_large, DType::bf16}}); }).kind() == ErrorKind::bad_data);
}

TEST_CASE("what cannot be written is refused", "[io]") {
  const Tensor tensor(Shape{1}, {1}), large(Shape{1}, {1e39}), deep(Shape(9, 1)), torn(Shape{2}, {1});
  const auto kind = [](const std::vector<SafetensorsEntry>& entries) {
    return error_of([&] {
             write_safetensors(entries);
             throw Error(ErrorKind::difference, said("it was written"));
           })
        .kind();
  };
  CHECK(kind({{"a", &tensor}}) == ErrorKind::difference);
  CHECK(kind({{"a", &tensor}, {"a", &tensor}}) == ErrorKind::internal);
  CHECK(kind({{"__metadata__", &tensor}}) == ErrorKind::internal);
  CHECK(kind({{"a\xFF", &tensor}}) == ErrorKind::internal);
  CHECK(kind({{"a", &tensor, DType::i64}}) == ErrorKind::internal);
  CHECK(kind({{"a", &deep}}) == ErrorKind::internal);
  CHECK(kind({{"a", &torn}}) == ErrorKind::internal);
  CHECK(kind({{"a", &large}}) == ErrorKind::bad_data);
  CHECK(kind({{"a", &large, DType::f64}}) == ErrorKind::difference);
  const Tensor too_large_for_half(Shape{1}, {65536});
  CHECK(kind({{"a", &too_large_for_half}}) == ErrorKind::difference);
  const Error refusal = error_of([&] { write_safetensors({{"a", &too_large_for_half, DType::f16}}); });
  CHECK(refusal.kind() == ErrorKind::bad_data);
  CHECK(refusal.what() == "tensor \"a\" holds 65536, too large for F16"s);
  CHECK(refusal.hint().in_english() == "save it in single precision");
  CHECK(error_of([] { write_safetensors({}, {{"k", "\xFF"}}); }).kind() == ErrorKind::internal);
}
