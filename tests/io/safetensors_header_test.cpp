#include "io/safetensors_header.hpp"

#include "error_of.hpp"
#include "io/safetensors.hpp"
#include "safetensors_files.hpp"
#include "support/catch.hpp"

#include <cstring>

using namespace tfx;
using namespace std::literals;

TEST_CASE("a header tells where each tensor stands", "[io]") {
  const std::string bytes = sample();
  const SafetensorsHeader header = parse_safetensors_header(bytes, "x.safetensors");
  REQUIRE(header.entries.size() == 4);
  CHECK(header.entries[0].begin == 0);
  CHECK(header.entries[0].end == 48);
  CHECK(header.entries[1].bytes() == 12);
  CHECK(header.entries[3].shape == Shape{0, 4});
  CHECK(header.entries[3].bytes() == 0);
  CHECK(header.data_offset + header.entries[3].end == bytes.size());
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
      {with(R"("dtype":"C64","shape":[1],"data_offsets":[0,8])"),
       "tensor \"a\" has the dtype \"C64\", which tfx does not read"},
      {with(R"("dtype":"f32","shape":[2],"data_offsets":[0,8])"), "tensor \"a\" has the dtype \"f32\""},
      {with(R"("dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8])"),
       "tensor \"a\" has the dtype \"F8_E4M3\""},
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
  const std::string by_hand =
      file_of("{" + member("a", "BF16", "[2]", 0, 4) + "," + member("b", "I64", "[]", 4, 12) + "}",
              "abcdefghij\0\0"s);
  const Tensor matrix(Shape{2, 2});
  std::string with_checksum = write_safetensors({{"W", &matrix}}, checksum_metadata());
  write_checksum(with_checksum);
  for (const std::string& whole : {sample(), by_hand, with_checksum}) {
    REQUIRE(error_of([&] { parsed(whole); }).kind() == ErrorKind::internal); // nothing is thrown
    for (std::size_t length = 0; length < whole.size(); ++length)
      CHECK(error_of([&] { parsed(whole.substr(0, length)); }).kind() == ErrorKind::bad_data);
    CHECK(error_of([&] { parsed(whole + '\0'); }).kind() == ErrorKind::bad_data);
  }
}

TEST_CASE("a checksum is where it was written, and of files that have one", "[io]") {
  std::string without_checksum = sample();
  CHECK(error_of([&] { write_checksum(without_checksum); }).kind() == ErrorKind::internal);
  for (const std::string crc : {R"("crc32": "00000000")", R"("crc32":"\u00300000000")"}) {
    const std::string elsewhere = file_of(R"({"__metadata__":{"sealed":"tfx-1",)" + crc + "}}", "");
    INFO(elsewhere);
    check_error(ErrorKind::bad_data, "the seal in the metadata is broken",
                [&] { verify_checksum(elsewhere, parse_safetensors_header(elsewhere, "x"), "x"); });
  }
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
      for (const NamedArray& tensor : parsed(damaged).tensors)
        CHECK(tensor.array.values.size() == element_count(tensor.array.values.shape));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_data);
      ++refused;
    }
  }
  CHECK(refused > header_size * 4); // the rest falls in names, metadata and blanks
}
