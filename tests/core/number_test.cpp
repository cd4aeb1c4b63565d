#include "core/number.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

using namespace tfx;

TEST_CASE("a number has at most so many decimals, and no idle zeros", "[core][number]") {
  CHECK(format_number(2, 4) == "2");
  CHECK(format_number(-3, 4) == "-3");
  CHECK(format_number(0.5, 4) == "0.5");
  CHECK(format_number(1.0 / 3, 4) == "0.3333");
  CHECK(format_number(-2.0 / 3, 2) == "-0.67");
  CHECK(format_number(0.98522024890, 8) == "0.98522025");
  CHECK(format_number(1.99999, 4) == "2");
  CHECK(format_number(2.5, 0) == "2");
  CHECK(format_number(0, 4) == "0");
  CHECK(format_number(-0.0, 4) == "0");
  CHECK(format_number(-0.0, 17) == "0");
}

TEST_CASE("a number that would lose all its digits is written as a power of ten", "[core][number]") {
  CHECK(format_number(0.00006, 4) == "0.0001");
  CHECK(format_number(0.00004, 4) == "4.0e-05");
  CHECK(format_number(-1e-300, 4) == "-1.0e-300");
  CHECK(format_number(123456789, 4) == "123456789"); // an integer keeps its digits
  CHECK(format_number(1234567.25, 4) == "1234567.25");
  CHECK(format_number(12345678.25, 4) == "1.2346e+07");
  CHECK(format_number(1e300, 4) == "1.0e+300");
}

TEST_CASE("what is no number has a name", "[core][number]") {
  for (int precision : {4, 17}) {
    CHECK(format_number(std::numeric_limits<double>::quiet_NaN(), precision) == "nan");
    CHECK(format_number(-std::numeric_limits<double>::quiet_NaN(), precision) == "nan");
    CHECK(format_number(std::numeric_limits<double>::infinity(), precision) == "inf");
    CHECK(format_number(-std::numeric_limits<double>::infinity(), precision) == "-inf");
  }
}

TEST_CASE("with 17 digits a number reads back as itself", "[core][number]") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double value =
        std::ldexp(static_cast<double>(random()) - 9e18, static_cast<int>(random() % 2000) - 1000);
    const std::string text = format_number(value, 17);
    INFO(text);
    REQUIRE(std::strtod(text.c_str(), nullptr) == value);
  }
  CHECK(format_number(0.1, 17) == "0.1");
  CHECK(format_number(3, 17) == "3");
  CHECK(format_number(1e16, 17) == "1e+16");
}

TEST_CASE("thousands are separated", "[core][number]") {
  CHECK(with_separators(0) == "0");
  CHECK(with_separators(999) == "999");
  CHECK(with_separators(1000) == "1,000");
  CHECK(with_separators(1234567) == "1,234,567");
}

TEST_CASE("times have the unit that suits them", "[core][number]") {
  CHECK(format_seconds(1.2e-6) == "1.2 µs");
  CHECK(format_seconds(0.0123) == "12.3 ms");
  CHECK(format_seconds(2.5) == "2.50 s");
}

TEST_CASE("sizes have three digits and the unit that suits them", "[core][number]") {
  CHECK(format_bytes(640) == "640 bytes");
  CHECK(format_bytes(999.7) == "1 kB");
  CHECK(format_bytes(135'266'304) == "135 MB");
  CHECK(format_bytes(1.28e12) == "1.28 TB");
  CHECK(format_bytes(6.4e19) == "64 EB");
  CHECK(format_bytes(3e30) == "3e+06 YB");
}

TEST_CASE("a share is in per cent, a small number keeps the digits that count", "[core][number]") {
  CHECK(percent(0.4149) == "41.5 %");
  CHECK(percent(1) == "100.0 %");
  CHECK(significant(0.000123456, 4) == "0.0001235");
  CHECK(significant(-0.25, 4) == "-0.25");
  CHECK(significant(0.25, 0) == "0.2"); // at least one
}
