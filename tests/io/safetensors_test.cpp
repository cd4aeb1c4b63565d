#include "io/safetensors.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

using namespace tfx;
using namespace std::literals;

namespace {

/// The error an action throws; of kind internal where it throws none.
Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "nothing was thrown");
}

template <class... Numbers>
std::string bytes_of(Numbers... numbers) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return bytes;
}

/// A file of this header and data; the size field is right.
std::string file_of(const std::string& header, const std::string& data = {}) {
  return bytes_of(std::uint64_t{header.size()}) + header + data;
}

std::string member(const std::string& name, const std::string& dtype, const std::string& shape,
                   std::size_t begin, std::size_t end) {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", name, dtype, shape, begin,
                     end);
}

Safetensors read(std::string_view bytes) {
  return read_safetensors(bytes, "x.safetensors");
}

Array only(const std::string& dtype, const std::string& shape, const std::string& data) {
  const Safetensors file = read(file_of("{" + member("a", dtype, shape, 0, data.size()) + "}", data));
  REQUIRE(file.tensors.size() == 1);
  return file.tensors[0].array;
}

std::string sample() {
  const Tensor wide({2, 3}, {1, -2.5, 3e100, -0.0, std::numeric_limits<double>::infinity(), 5e-324});
  const Tensor narrow(Shape{3}, {0.5, -1, 3}), scalar(Shape{}, {7}), empty(Shape{0, 4});
  return write_safetensors(
      {{"encoder.0.W_Q", &wide, DType::f64}, {"b", &narrow}, {"猫", &scalar}, {"empty", &empty}},
      {{"format", "pt"}, {"note", "two\nlines"}});
}

} // namespace

TEST_CASE("what is written reads back", "[io]") {
  const Safetensors file = read(sample());
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
    CHECK(read(bytes).tensors[0].name.size() == length);
  }
  CHECK(read(write_safetensors({})).tensors.empty());
}

TEST_CASE("random tensors survive in both precisions", "[io]") {
  std::mt19937_64 random(1);
  Tensor tensor({7, 11, 13});
  for (double& cell : tensor.data) cell = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  for (double& cell : tensor.data)
    if (std::isnan(cell)) cell = 0;
  for (DType dtype : {DType::f32, DType::f64})
    CHECK(read(write_safetensors({{"x", &tensor, dtype}})).tensors[0].array.values == tensor);
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

TEST_CASE("half precision: normal, subnormal, infinite, NaN", "[io]") {
  const auto half = [](std::uint16_t bits) { return only("F16", "[]", bytes_of(bits)).values.data[0]; };
  CHECK(half(0x3C00) == 1);
  CHECK(half(0xC000) == -2);
  CHECK(half(0x3555) == 0.333251953125);
  CHECK(half(0x7BFF) == 65504);
  CHECK(half(0x0400) == std::ldexp(1, -14));
  CHECK(half(0x03FF) == std::ldexp(1023, -24));
  CHECK(half(0x0001) == std::ldexp(1, -24));
  CHECK(std::signbit(half(0x8000)));
  CHECK(half(0x7C00) == std::numeric_limits<double>::infinity());
  CHECK(half(0xFC00) == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(half(0x7E01)));
}

TEST_CASE("tensors come in the order of their bytes, whatever the header's order", "[io]") {
  const std::string header = "{" + member("b", "U8", "[1]", 1, 2) + ", " + member("e", "U8", "[0]", 1, 1) +
                             " ,\n" + member("a", "U8", "[1]", 0, 1) + "}   ";
  const Safetensors file = read(file_of(header, "\x05\x06"));
  REQUIRE(file.tensors.size() == 3);
  CHECK(file.tensors[0].name == "a");
  CHECK(file.tensors[1].name == "e");
  CHECK(file.tensors[2].name == "b");
  CHECK(file.tensors[2].array.values.data[0] == 6);
}

TEST_CASE("hostile files are refused with what is wrong", "[io]") {
  struct Case {
    std::string bytes, message;
  };
  const std::string eight(8, 'x'), a = member("a", "F32", "[2]", 0, 8), huge = "18446744073709551615";
  const auto with = [&](const std::string& inner) { return file_of("{\"a\":{" + inner + "}}", eight); };
  std::string many = "{";
  for (int i = 0; i <= 100'000; ++i) many += (i ? "," : "") + member(std::to_string(i), "U8", "[0]", 0, 0);
  const std::vector<Case> cases = {
      {"", "0 bytes are too few for a header"},
      {"1234567", "7 bytes are too few"},
      {bytes_of(std::uint64_t{1}), "the header takes 1 bytes, the file has 0"},
      {bytes_of(std::uint64_t{3}) + "{}", "the header takes 3 bytes, the file has 2"},
      {bytes_of(~std::uint64_t{0}) + "{}", "the header takes 18446744073709551615 bytes"},
      {file_of("{}" + std::string(16 << 20, ' ')), "the header takes 16777218 bytes, more than 16777216"},
      {file_of(""), "byte 8: the header does not start with {"},
      {file_of("[]"), "byte 8: the header does not start with {"},
      {file_of(" {}"), "byte 8: the header does not start with {"},
      {file_of("\uFEFF{}"), "byte 8: the header does not start with {"},
      {file_of("{}\0{"s), "byte 10: the header holds NUL"},
      {file_of("{} x"), "byte 11: the header is not valid JSON"},
      {file_of("{}{}"), "byte 10: the header is not valid JSON"},
      {file_of("{"), "byte 9: the header is not valid JSON"},
      {file_of("{\"a\":{}"), "tensor \"a\" has no dtype"},
      {file_of("{/**/}"), "byte 9: the header is not valid JSON"},
      {file_of("{\"\xFF\":1}"), "byte 10: the header is not valid JSON"},
      {file_of("{\"\\ud800\":1}"), "byte 16: the header is not valid JSON"},
      {file_of("{" + a + ",}", eight), "byte 62: the header is not valid JSON"},
      {file_of("{}", "x"), "the tensors end at byte 0 of the data, which has 1"},
      {file_of("{\"a\":1}"), "\"a\" in the header is a number, not an object"},
      {file_of("{\"a\":null}"), "\"a\" in the header is null, not an object"},
      {file_of("{\"a\":[]}"), "\"a\" in the header is a list, not an object"},
      {file_of("{\"a\":\"x\"}"), "\"a\" in the header is a string, not an object"},
      {file_of("{\"a\":true}"), "\"a\" in the header is true or false, not an object"},
      {file_of("{" + a + "," + a + "}", eight), "the name \"a\" stands twice in the header"},
      {file_of("{\"__metadata__\":{},\"__metadata__\":{}}"),
       "the name \"__metadata__\" stands twice in the header"},
      {file_of("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}"),
       "the name \"k\" stands twice in the metadata"},
      {file_of("{\"__metadata__\":{\"k\":1}}"),
       "the metadata: \"k\" is or holds a number; it must be a string"},
      {file_of("{\"__metadata__\":{\"k\":{}}}"),
       "the metadata: \"k\" is or holds an object; it must be a string"},
      {file_of("{\"__metadata__\":{\"k\":[]}}"),
       "the metadata: \"k\" is or holds a list; it must be a string"},
      {file_of("{\"__metadata__\":[]}"), "\"__metadata__\" in the header is a list"},
      {with(R"("dtype":"F32","shape":[2])"), "tensor \"a\" has no data_offsets"},
      {with(R"("dtype":"F32","data_offsets":[0,8])"), "tensor \"a\" has no shape"},
      {with(R"("shape":[2],"data_offsets":[0,8])"), "tensor \"a\" has no dtype"},
      {with(R"("dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8])"),
       "the name \"shape\" stands twice in tensor \"a\""},
      {with(R"("dtype":"F32","dtype":"F32")"), "the name \"dtype\" stands twice in tensor \"a\""},
      {with(R"("dtype":"F32","strides":[1])"), "tensor \"a\" has the unknown member \"strides\""},
      {with(R"("dtype":"BOOL")"), "tensor \"a\" has the dtype \"BOOL\", which tfx does not read"},
      {with(R"("dtype":"f32")"), "tensor \"a\" has the dtype \"f32\""},
      {with(R"("dtype":"F8_E4M3")"), "tensor \"a\" has the dtype \"F8_E4M3\""},
      {with(R"("dtype":32)"), "tensor \"a\": \"dtype\" is or holds a number; it must be a dtype"},
      {with(R"("dtype":["F32"])"), "tensor \"a\": \"dtype\" is or holds a list; it must be a dtype"},
      {with(R"("shape":"2")"),
       "tensor \"a\": \"shape\" is or holds a string; it must be a list of plain integers"},
      {with(R"("shape":2)"), "tensor \"a\": \"shape\" is or holds a number"},
      {with(R"("shape":[-2])"), "tensor \"a\": \"shape\" is or holds a negative number"},
      {with(R"("shape":[-0])"), "tensor \"a\": \"shape\" is or holds a negative number"},
      {with(R"("shape":[2.0])"), "tensor \"a\": \"shape\" is or holds a number that is no plain integer"},
      {with(R"("shape":[2e0])"), "tensor \"a\": \"shape\" is or holds a number that is no plain integer"},
      {with(R"("shape":[18446744073709551616])"),
       "tensor \"a\": \"shape\" is or holds a number that is no plain"},
      {with(R"("shape":[1e999])"), "byte "},
      {with(R"("shape":[02])"), "byte "},
      {with(R"("shape":["2"])"), "tensor \"a\": \"shape\" is or holds a string"},
      {with(R"("shape":[[2]])"), "tensor \"a\": \"shape\" is or holds a list"},
      {with(R"("shape":[{}])"), "tensor \"a\": \"shape\" is or holds an object"},
      {with(R"("shape":[null])"), "tensor \"a\": \"shape\" is or holds null"},
      {with(R"("shape":[1,1,1,1,1,1,1,1,2])"), "tensor \"a\": shape has more than 8 numbers"},
      {with(R"("shape":)" + std::string(100'000, '[')), "tensor \"a\": \"shape\" is or holds a list"},
      {with(R"("data_offsets":[8])"), "tensor \"a\": data_offsets has 1 numbers, not 2"},
      {with(R"("data_offsets":[0,8,8])"), "tensor \"a\": data_offsets has 3 numbers, not 2"},
      {file_of("{" + member("a", "F32", "[2]", 0, 8) + "}", "1234567"),
       "tensor \"a\" has the bytes 0 to 8 of the data, which has 7"},
      {file_of("{" + member("a", "F32", "[2]", 0, 8) + "}", "123456789"),
       "the tensors end at byte 8 of the data, which has 9"},
      {file_of("{" + member("a", "F32", "[1]", 4, 8) + "}", eight),
       "tensor \"a\" starts at byte 4 of the data, the one before it ends at 0: a hole"},
      {file_of("{" + member("a", "U8", "[4]", 0, 4) + "," + member("b", "U8", "[3]", 5, 8) + "}", eight),
       "tensor \"b\" starts at byte 5 of the data, the one before it ends at 4: a hole"},
      {file_of("{" + member("a", "U8", "[5]", 0, 5) + "," + member("b", "U8", "[4]", 4, 8) + "}", eight),
       "tensor \"b\" starts at byte 4 of the data, the one before it ends at 5: an overlap"},
      {file_of("{" + a + "," + member("b", "F32", "[2]", 0, 8) + "}", eight),
       "tensor \"b\" starts at byte 0"},
      {with(R"("dtype":"U8","shape":[],"data_offsets":[0,)" + huge + "]"),
       "tensor \"a\" has the bytes 0 to 18446744073709551615"},
      {file_of("{" + member("a", "U8", "[8]", 0, 8) +
                   ",\"b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[8,7]}}",
               eight),
       "tensor \"b\" has the bytes 8 to 7"},
      {file_of("{" + member("a", "F32", "[3]", 0, 8) + "}", eight),
       "tensor \"a\": float32 of shape (3,) does not fill its 8 bytes"},
      {file_of("{" + member("a", "F64", "[2]", 0, 8) + "}", eight),
       "tensor \"a\": float64 of shape (2,) does not fill"},
      {file_of("{" + member("a", "F32", "[]", 0, 8) + "}", eight),
       "tensor \"a\": float32 of shape () does not fill"},
      {file_of("{" + member("a", "F32", "[0]", 0, 8) + "}", eight),
       "tensor \"a\": float32 of shape (0,) does not fill"},
      {file_of("{" + member("a", "F32", "[4294967296,4294967296]", 0, 8) + "}", eight),
       "tensor \"a\": float32 of shape (4294967296, 4294967296) does"}, // 2^64 wraps to 0
      {file_of("{" + member("a", "F32", "[4611686018427387906]", 0, 8) + "}", eight),
       "tensor \"a\": float32 of shape"}, // × 4 wraps to 8
      {file_of("{" + member("a", "F32", "[0,1152921504606846976]", 0, 0) + "}"),
       "tensor \"a\": float32 of shape (0, 1152921504606846976) does not"},
      {file_of("{" + member("a", "F32", "[" + huge + "," + huge + ",0]", 0, 0) + "}"),
       "tensor \"a\": float32 of shape"},
      {file_of(many + "}"), "the header has more than 100000 tensors"},
      {file_of("{" + member("a", "I64", "[1,2]", 0, 16) + "}",
               bytes_of(std::int64_t{1}, (std::int64_t{1} << 53) + 1)),
       "tensor \"a\": cell (0, 1) holds 9007199254740993, which a double cannot hold"},
      {file_of("{" + member("a", "I64", "[]", 0, 8) + "}", bytes_of(INT64_MIN)),
       "tensor \"a\": cell () holds -9223372036854775808"},
      {file_of("{\"\\u001b[31m\":1}"), "\"\\x1b[31m\" in the header is a number"},
      {file_of("{\"" + std::string(5'000, 'n') + "\":1}"), "\"" + std::string(60, 'n') + "…\" in the header"},
  };
  for (const auto& [bytes, message] : cases) {
    const Error error = error_of([&, &file = bytes] { read_safetensors(file, "bad\n.safetensors"); });
    INFO("wanted: " << message << "\nsaid:   " << error.what());
    CHECK(error.kind() == ErrorKind::bad_data);
    CHECK(std::string_view(error.what()).starts_with("bad\\n.safetensors: " + message));
    CHECK_FALSE(error.hint().empty());
  }
}

TEST_CASE("every prefix of a file is refused", "[io]") {
  const std::string whole = sample();
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK(error_of([&] { read(whole.substr(0, length)); }).kind() == ErrorKind::bad_data);
  CHECK(error_of([&] { read(whole + '\0'); }).kind() == ErrorKind::bad_data);
}

TEST_CASE("every flipped bit of a header is refused or leaves a valid file", "[io]") {
  const std::string whole = sample();
  std::uint64_t header_size = 0;
  std::memcpy(&header_size, whole.data(), 8);
  std::size_t refused = 0;
  for (std::size_t bit = 0; bit < (8 + header_size) * 8; ++bit) {
    std::string damaged = whole;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    try {
      for (const NamedArray& tensor : read(damaged).tensors)
        CHECK(tensor.array.values.size() == element_count(tensor.array.values.shape));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_data);
      ++refused;
    }
  }
  CHECK(refused > header_size * 4); // the rest falls in names, metadata and blanks
}

TEST_CASE("what cannot be written is refused", "[io]") {
  const Tensor tensor(Shape{1}, {1}), large(Shape{1}, {1e39}), deep(Shape(9, 1)), torn(Shape{2}, {1});
  const auto kind = [](const std::vector<SafetensorsEntry>& entries) {
    return error_of([&] {
             write_safetensors(entries);
             throw Error(ErrorKind::difference, "it was written");
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
  CHECK(error_of([] { write_safetensors({}, {{"k", "\xFF"}}); }).kind() == ErrorKind::internal);
}
