#include "io/array.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

using namespace tfx;
using namespace std::literals;

namespace {

std::vector<double> decoded(std::string_view bytes, DType dtype, std::endian order = std::endian::little) {
  return decode_values(bytes, dtype, order, [](std::size_t position, const std::string& value) {
    throw std::runtime_error(std::to_string(position) + ": " + value);
  });
}

} // namespace

TEST_CASE("half precision: normal, subnormal, infinite, NaN", "[io]") {
  const auto half = [](unsigned bits) {
    const std::string bytes{static_cast<char>(bits >> 8), static_cast<char>(bits & 0xFF)};
    return decoded(bytes, DType::f16, std::endian::big)[0];
  };
  CHECK(half(0x3C00) == 1);
  CHECK(half(0xC000) == -2);
  CHECK(half(0x3555) == 0.333251953125);
  CHECK(half(0x7BFF) == 65504);
  CHECK(half(0x0400) == std::ldexp(1, -14));
  CHECK(half(0x03FF) == std::ldexp(1023, -24));
  CHECK(half(0x0001) == std::ldexp(1, -24));
  CHECK(std::signbit(half(0x8000)));
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(half(0x7C00) == inf);
  CHECK(half(0xFC00) == -inf);
  CHECK(std::isnan(half(0x7E01)));
}

TEST_CASE("half precision is written to the nearest, of two the even one, as NumPy does", "[io]") {
  const auto bits = [](double value) {
    std::string bytes;
    append_values(bytes, {value}, DType::f16);
    return little_endian(bytes);
  };
  CHECK(bits(0.1) == 0x2E66);
  CHECK(bits(1.0 / 3) == 0x3555);
  CHECK(bits(2049) == 0x6800);
  CHECK(bits(2051) == 0x6802);
  CHECK(bits(1 + 0x1p-11) == 0x3C00);
  CHECK(bits(1 + 0x3p-11) == 0x3C02);
  CHECK(bits(65519.99) == 0x7BFF);
  CHECK(bits(65520) == 0x7C00);
  CHECK(bits(-1e300) == 0xFC00);
  CHECK(bits(0x1p-25) == 0);
  CHECK(bits(0x3p-25) == 2);
  CHECK(bits(1023.5 * 0x1p-24) == 0x0400); // the largest subnormal's neighbour
  CHECK(bits(-0.0) == 0x8000);
  for (unsigned pattern = 0; pattern < 0x10000; ++pattern) { // all that there are
    const std::string bytes{static_cast<char>(pattern & 0xFF), static_cast<char>(pattern >> 8)};
    const double value = decoded(bytes, DType::f16)[0];
    if (std::isnan(value) ? (bits(value) & 0x7FFF) <= 0x7C00 : bits(value) != pattern) FAIL(pattern);
  }
}

TEST_CASE("bfloat16 is written to the nearest, of two the even one, as PyTorch does", "[io]") {
  const auto bits = [](double value) {
    std::string bytes;
    append_values(bytes, {value}, DType::bf16);
    return little_endian(bytes);
  };
  CHECK(bits(1) == 0x3F80);
  CHECK(bits(-2.5) == 0xC020);
  CHECK(bits(0.1) == 0x3DCD);
  CHECK(bits(1 + 0x1p-8) == 0x3F80);
  CHECK(bits(1 + 0x3p-8) == 0x3F82);
  CHECK(bits(1 + 0x1p-8 + 0x1p-50) == 0x3F81); // rounded once, not by way of a float
  CHECK(bits(0x1.FEp127) == 0x7F7F);
  CHECK(bits(0x1.FFp127) == 0x7F80);
  CHECK(bits(0x1p-133) == 1);
  for (unsigned pattern = 0; pattern < 0x10000; ++pattern) { // all that there are
    const std::string bytes{static_cast<char>(pattern & 0xFF), static_cast<char>(pattern >> 8)};
    const double value = decoded(bytes, DType::bf16)[0];
    if (std::isnan(value) ? (bits(value) & 0x7FFF) <= 0x7F80 : bits(value) != pattern) FAIL(pattern);
  }
}

TEST_CASE("values are read in either byte order", "[io]") {
  using Doubles = std::vector<double>;
  CHECK(decoded("\x01\x02\xFF\xFE"sv, DType::i16) == Doubles{0x201, -257});
  CHECK(decoded("\x01\x02\xFF\xFE"sv, DType::i16, std::endian::big) == Doubles{0x102, -2});
  CHECK(decoded("\x49\xC0"sv, DType::bf16) == Doubles{-3.140625});
  CHECK(decoded("\xC0\x49"sv, DType::bf16, std::endian::big) == Doubles{-3.140625});
  CHECK(decoded("\x3F\xF8\0\0\0\0\0\0"sv, DType::f64, std::endian::big) == Doubles{1.5});
  CHECK(decoded("", DType::f32).empty());
}

TEST_CASE("the position of a value that a double cannot hold is told", "[io]") {
  constexpr auto largest = "\0\0\0\0\0\0\x20\0"sv; // 2^53
  CHECK(decoded(largest, DType::i64) == decoded(largest, DType::u64));
  CHECK_THROWS_WITH(decoded(std::string(largest) + "\1\0\0\0\0\0\x20\0"s, DType::i64), "1: 9007199254740993");
  CHECK_THROWS_WITH(decoded("\xFF\xFF\xFF\xFF\xFF\xFF\xDF\xFF"sv, DType::i64), "0: -9007199254740993");
  CHECK_THROWS_WITH(decoded(std::string(8, '\xFF'), DType::u64), "0: 18446744073709551615");
  CHECK_THROWS_WITH(decoded("\1\0\2"sv, DType::boolean), "2: 2");
}

TEST_CASE("values and sizes are written with the lowest byte first", "[io]") {
  std::string bytes = "x";
  append_values(bytes, {1, -2}, DType::f32);
  CHECK(bytes == "x\0\0\x80\x3F\0\0\0\xC0"s);
  append_values(bytes, {1}, DType::f64);
  CHECK(bytes.substr(9) == "\0\0\0\0\0\0\xF0\x3F"s);
  CHECK(little_endian("\x02\x01"sv) == 0x102);
  CHECK(little_endian(std::string(8, '\xFF')) == std::numeric_limits<std::uint64_t>::max());
}
