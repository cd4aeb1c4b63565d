#include "io/npy.hpp"

#include "error_of.hpp"
#include "io/file.hpp"
#include "numpy_files.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>

using namespace tfx;
using namespace std::string_literals;

namespace {

std::string npy(const std::string& header, const std::string& values, int version = 1) {
  std::string bytes = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return bytes + header + values;
}

std::string npy_of(const std::string& descr, const std::string& shape, const std::string& values,
                   const std::string& fortran = "False") {
  return npy("{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n",
             values);
}

template <class Stored>
std::string raw(std::initializer_list<Stored> values) {
  std::string bytes(values.size() * sizeof(Stored), '\0');
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

void check_npy_refused(const std::string& bytes, const std::string& fragment,
                       ErrorKind kind = ErrorKind::bad_data) {
  const Error error = check_error(kind, fragment, [&] { read_npy(bytes, "x.npy"); });
  CHECK(std::string(error.what()).starts_with("x.npy: "));
  CHECK(std::string(error.what()).find(" at byte ") != std::string::npos);
  CHECK(error.hint().in_english().find("save") != std::string::npos);
}

} // namespace

TEST_CASE("every npy file that NumPy wrote is read", "[io]") {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(numpy_files)) {
    if (entry.path().extension() != ".npy") continue;
    INFO(entry.path());
    const Sample sample = sample_of(entry.path().stem().string());
    const Array array = read_npy(read_file(entry.path().string()), "x.npy");
    CHECK(array.dtype == sample.dtype);
    REQUIRE(array.values.shape == sample.shape);
    REQUIRE(array.values.size() == element_count(sample.shape));
    for (std::size_t i = 0; i < array.values.size(); ++i)
      REQUIRE(array.values.data[i] == value_of(sample.dtype, i));
    ++count;
  }
  CHECK(count >= 57);
}

TEST_CASE("an npy file is written byte for byte as NumPy writes it", "[io]") {
  for (const std::string name :
       {"f8_scalar", "f8_1", "f8_5", "f8_0x3", "f8_2x3", "f8_3x2x4", "f8_2x1x2x2x1x2x1x3", "f4_2x3",
        "f4_3x2x4", "i8_2x3", "i8_3x2x4", "b1_2x3", "b1_3x2x4"}) {
    INFO(name);
    const std::string bytes = read_file(numpy_files + name + ".npy");
    const Array array = read_npy(bytes, name);
    CHECK(write_npy(array.values, array.dtype) == bytes);
  }
}

TEST_CASE("what is written is read back", "[io]") {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor tensor(Shape{2, 3}, {0.1, -0.0, inf, -inf, 5e-324, 1.7976931348623157e308});
  const Tensor again = read_npy(write_npy(tensor), "x.npy").values;
  CHECK(again == tensor);
  CHECK(std::signbit(again.data[1]));
  const Tensor rounded = read_npy(write_npy(tensor, DType::f32), "x.npy").values;
  CHECK(rounded.data[0] == static_cast<double>(0.1f));
  CHECK(rounded.data[5] == inf);
  const Tensor nan(Shape{}, {std::nan("")});
  CHECK(std::isnan(read_npy(write_npy(nan), "x.npy").values.data[0]));
  CHECK_THROWS_AS(write_npy(tensor, DType::i32), Error);
  CHECK_THROWS_AS(write_npy(Tensor(Shape{3}, {1.0})), Error);
}

TEST_CASE("every type keeps its extreme values", "[io]") {
  const auto values = [](const std::string& bytes) { return read_npy(bytes, "x.npy").values.data; };
  using Doubles = std::vector<double>;
  CHECK(values(npy_of("|i1", "(2,)", raw<std::int8_t>({-128, 127}))) == Doubles{-128, 127});
  CHECK(values(npy_of("<i2", "(2,)", raw<std::int16_t>({-32768, 32767}))) == Doubles{-32768, 32767});
  CHECK(values(npy_of("<u2", "(1,)", raw<std::uint16_t>({65535}))) == Doubles{65535});
  CHECK(values(npy_of("<u4", "(1,)", raw<std::uint32_t>({4294967295u}))) == Doubles{4294967295.0});
  CHECK(values(npy_of("=f4", "(1,)", raw<float>({0.5f}))) == Doubles{0.5});
  CHECK(values(npy_of(">i2", "(1,)", "\x01\x02"s)) == Doubles{258});
  CHECK(values(npy_of(">f8", "()", "\x3f\xf0\0\0\0\0\0\0"s)) == Doubles{1});
  const std::int64_t limit = std::int64_t{1} << 53;
  CHECK(values(npy_of("<i8", "(2,)", raw<std::int64_t>({-limit, limit}))) == Doubles{-0x1p53, 0x1p53});
  CHECK(values(npy_of("<u8", "()", raw<std::uint64_t>({1ULL << 53}))) == Doubles{0x1p53});
  const double inf = std::numeric_limits<double>::infinity();
  const auto halves =
      values(npy_of("<f2", "(6,)", raw<std::uint16_t>({0x7C00, 0xFC00, 0x0001, 0x83FF, 0x7BFF, 0x3555})));
  CHECK(halves == Doubles{inf, -inf, 0x1p-24, -0x1.ff8p-15, 65504, 0.333251953125});
  CHECK(std::isnan(values(npy_of("<f2", "()", raw<std::uint16_t>({0x7E00})))[0]));
}

TEST_CASE("the header may be written in any way that Python allows NumPy", "[io]") {
  const std::string values = raw<double>({1, 2, 3});
  for (const std::string header : {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n",
                                   "{\"shape\":(3,),\"fortran_order\":True,\"descr\":\"<f8\"}\n",
                                   "{ 'fortran_order' : False , 'shape' : ( 3 , ) , 'descr' : '<f8' }     \n",
                                   "  {'descr': '<f8', 'fortran_order': False, 'shape': (3,)}\n"})
    for (const int version : {1, 2, 3}) {
      INFO(header);
      CHECK(read_npy(npy(header, values, version), "x.npy").values == Tensor(Shape{3}, {1, 2, 3}));
    }
  CHECK(read_npy(npy_of("<f8", "(1, 3,)", values), "x.npy").values.shape == Shape{1, 3});
  CHECK(read_npy(npy_of("<f8", "(0, 5)", ""), "x.npy").values.shape == Shape{0, 5});
}

TEST_CASE("a hostile npy file is refused with its own message", "[io]") {
  const std::string eight(8, '\0'), good = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }\n";
  REQUIRE(read_npy(npy(good, eight), "x.npy").values.data == std::vector<double>{0});
  const auto with = [&](const std::string& header) { return npy(header + "\n", eight); };

  check_npy_refused("", "ends before its version at byte 0");
  check_npy_refused("PK\x03\x04 and more", "this is no npy file");
  check_npy_refused("\x93NUMPX\x01\0"s, "this is no npy file");
  check_npy_refused("\x93NUMPY\x01"s, "ends before its version at byte 7");
  check_npy_refused("\x93NUMPY\x01\0\x10"s, "ends before the length of its header at byte 9");
  check_npy_refused("\x93NUMPY\x02\0\x10\0\0"s, "ends before the length of its header at byte 11");
  check_npy_refused("\x93NUMPY\x04\0\x10\0\0\0"s, "npy version 4.0 is unknown");
  check_npy_refused("\x93NUMPY\x01\x01\x10\0"s, "npy version 1.1 is unknown");
  check_npy_refused("\x93NUMPY\0\0\x10\0"s, "npy version 0.0 is unknown");
  check_npy_refused(npy(good, eight).substr(0, 30), "should be 58 bytes long, the file ends at byte 30");
  check_npy_refused("\x93NUMPY\x02\0\xff\xff\xff\xff{"s,
                    "4294967295 bytes long, more than 10,000, at byte 8");
  check_npy_refused(npy(std::string(10001, ' '), eight), "10001 bytes long");
  check_npy_refused(npy("", eight), "expected { at byte 10");
  check_npy_refused(npy(std::string(10000, ' '), eight), "expected {");
  check_npy_refused(with("['descr']"), "expected {");
  check_npy_refused(with("{}"), "lacks 'descr'");
  check_npy_refused(with("{'descr': '<f8', 'shape': (1,)}"), "lacks 'fortran_order'");
  check_npy_refused(with("{'descr': '<f8', 'fortran_order': False}"), "lacks 'shape'");
  check_npy_refused(with("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}"),
                    "'descr' twice");
  check_npy_refused(with("{'shape': (1,), 'shape': (1,)}"), "'shape' twice at byte 26");
  check_npy_refused(with("{'fortran_order': True, 'fortran_order': True}"), "'fortran_order' twice");
  check_npy_refused(with("{'descr': '<f8', 'order\x1b[2J': 1}"), "unknown key 'order\\x1b[2J' at byte 27");
  check_npy_refused(with("{'descr' '<f8'}"), "expected :");
  check_npy_refused(with("{'descr': '<f8' 'shape': (1,)}"), "expected }");
  check_npy_refused(with("{,}"), "expected a key");
  check_npy_refused(with("{'descr': <f8}"), "expected a type such as '<f8'");
  check_npy_refused(with("{'descr': '<f8, "), "expected a type such as '<f8'");
  check_npy_refused(with("{'fortran_order': 0}"), "must be True or False");
  check_npy_refused(with("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } x"), "expected \\n");
  check_npy_refused(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", eight), "expected \\n");
  check_npy_refused(npy(good + "\n", eight), "goes on after its newline");
  check_npy_refused(npy("{'descr': '<f8',\n'fortran_order': False, 'shape': (1,), }\n", eight),
                    "expected a key");

  for (const std::string shape :
       {"(-1,)", "(1.0,)", "(0x1,)", "(1_0,)", "(,)", "((1,),)", "[1]", "1", "(1", "None"})
    CHECK_THROWS_AS(read_npy(npy_of("<f8", shape, eight), "x.npy"), Error);
  check_npy_refused(npy_of("<f8", "(1)", eight), "needs a comma");
  check_npy_refused(npy_of("<f8", "(-1,)", eight), "whole numbers in parentheses");
  check_npy_refused(npy_of("<f8", "(01,)", eight), "leading zero");
  check_npy_refused(npy_of("<f8", "(1, 1, 1, 1, 1, 1, 1, 1, 1)", eight), "more than 8 axes");
  check_npy_refused(npy_of("<f8", "(9223372036854775808,)", eight), "a length beyond 2^63");
  check_npy_refused(npy_of("<f8", "(99999999999999999999999999,)", eight), "a length beyond 2^63");
  check_npy_refused(npy_of("<f8", "(2305843009213693952,)", eight), "more bytes than any file has");
  check_npy_refused(npy_of("<f8", "(4294967296, 4294967296)", eight), "more bytes than any file has");
  check_npy_refused(npy_of("|u1", "(0, 9223372036854775807, 2)", ""), "more bytes than any file has");
  check_npy_refused(npy_of("<f8", "(100000000000,)", eight),
                    "takes 800000000000 bytes, the file has 8 at byte");

  check_npy_refused(npy_of("|O", "(1,)", eight), "type '|O', which is not a type of number");
  check_npy_refused(npy_of("<U2", "(1,)", eight), "type '<U2'");
  check_npy_refused(npy_of("<c8", "(1,)", eight), "type '<c8'");
  check_npy_refused(npy_of("|f8", "(1,)", eight), "type '|f8'");
  check_npy_refused(npy_of("f8", "(1,)", eight), "type 'f8'");
  check_npy_refused(npy_of("<f16", "(1,)", eight), "type '<f16'");
  check_npy_refused(npy_of("", "(1,)", eight), "type ''");
  check_npy_refused(with("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}"), "structured");

  check_npy_refused(npy(good, ""), "takes 8 bytes, the file has 0 at byte 68");
  check_npy_refused(npy(good, eight.substr(1)), "takes 8 bytes, the file has 7");
  check_npy_refused(npy(good, eight + "x"), "takes 8 bytes, the file has 9");
  const std::int64_t odd = (std::int64_t{1} << 53) + 1;
  check_npy_refused(npy_of("<i8", "(2, 2)", raw<std::int64_t>({0, 1, 2, odd})),
                    "cell [1, 1] holds 9007199254740993");
  check_npy_refused(npy_of("<i8", "(2, 3)", raw<std::int64_t>({0, 1, 2, -odd, 4, 5}), "True"),
                    "cell [1, 1] holds -9007199254740993");
  check_npy_refused(npy_of("<i8", "()", raw<std::int64_t>({std::numeric_limits<std::int64_t>::min()})),
                    "the value holds -92");
  check_npy_refused(npy_of("<u8", "(1,)", raw<std::uint64_t>({~0ULL})),
                    "cell [0] holds 18446744073709551615");
  check_npy_refused(npy_of("|b1", "(3,)", "\x01\x00\x02"s), "cell [2] holds 2, but a bool is 0 or 1");
}

TEST_CASE("a refusal says what to do", "[io]") {
  try {
    read_npy(npy_of("|O", "(1,)", "12345678"), "x.npy");
    FAIL("was read");
  } catch (const Error& error) {
    CHECK(error.hint().in_english() == "save with arr.astype(float)");
  }
}

TEST_CASE("every prefix of an npy file is refused", "[io]") {
  for (const std::string name : {"f8_2x3", "v3_i8_fortran_3x2x4", "b1_3x2x4"}) {
    const std::string bytes = read_file(numpy_files + name + ".npy");
    for (std::size_t length = 0; length < bytes.size(); ++length) {
      INFO(name << " " << length);
      CHECK_THROWS_AS(read_npy(std::string(bytes, 0, length), "x.npy"),
                      Error); // a copy: its end is guarded by ASan
    }
  }
}

TEST_CASE("every flipped bit of an npy header is refused or gives a whole array", "[io]") {
  for (const std::string name : {"f8_2x3", "i8_fortran_3x2x4", "v2_f8_2x3", "f8_scalar"}) {
    const std::string bytes = read_file(numpy_files + name + ".npy");
    const std::size_t header = parse_npy_header(bytes, name).data_offset;
    int refused = 0;
    for (std::size_t bit = 0; bit < 8 * header; ++bit) {
      std::string flipped = bytes;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      try {
        const Array array = read_npy(flipped, "x.npy");
        REQUIRE(array.values.size() == element_count(array.values.shape));
      } catch (const Error& error) {
        INFO(error.what());
        REQUIRE(error.kind() == ErrorKind::bad_data);
        ++refused;
      }
    }
    CHECK(refused > static_cast<int>(7 * header)); // only a few bits turn one good header into another
  }
}

TEST_CASE("types have their NumPy names and sizes", "[io]") {
  CHECK(name_of(DType::f32) == "float32"s);
  CHECK(name_of(DType::boolean) == "bool"s);
  CHECK(name_of(DType::bf16) == "bfloat16"s);
  CHECK(size_of(DType::u64) == 8);
  CHECK(size_of(DType::bf16) == 2);
}

TEST_CASE("a header that Python 2 wrote is read as NumPy reads it", "[io]") {
  const auto file = [](const std::string& version, const std::string& shape) {
    const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }\n";
    return "\x93NUMPY" + version + static_cast<char>(header.size()) +
           std::string(version[0] == 1 ? 1 : 3, '\0') + header + std::string(16, '\0');
  };
  const std::string one("\1\0", 2), two("\2\0", 2), three("\3\0", 2);
  CHECK(read_npy(file(one, "(2L,)"), "x.npy").values.shape == Shape{2});
  CHECK(read_npy(file(two, "(1L, 2L)"), "x.npy").values.shape == Shape{1, 2});
  for (const std::string& bytes :
       {file(three, "(2L,)"), file(one, "(2l,)"), file(one, "(2LL,)"), file(one, "(L,)")})
    CHECK_THROWS_AS(read_npy(bytes, "x.npy"), Error);
}
