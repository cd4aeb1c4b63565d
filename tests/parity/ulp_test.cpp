#include "parity/rounding.hpp"

#include "support/catch.hpp"
#include "support/not_finite.hpp"

#include <cmath>
#include <limits>

using namespace tfx;

TEST_CASE("a number and the next one of its type are one unit apart", "[ulp]") {
  for (const double x : {1.0, 0.999, 1.5, 1e-300, 5e-324, 1e300, 0.0}) {
    CHECK(ulp_distance(x, std::nextafter(x, inf), DType::f64) == 1);
    CHECK(ulp_distance(-x, -std::nextafter(x, inf), DType::f64) == 1);
  }
  for (const float x : {1.0F, 0.999F, 1e-38F, 1e-45F, 3e38F, 0.0F})
    CHECK(ulp_distance(x, std::nextafter(x, HUGE_VALF), DType::f32) == 1);
  CHECK(ulp_distance(1, 1 + std::ldexp(1, -10), DType::f16) == 1);
  CHECK(ulp_distance(std::ldexp(1, -24), 0, DType::f16) == 1); // its smallest subnormal number
  CHECK(ulp_distance(65504, inf, DType::f16) == 1);
  CHECK(ulp_distance(1, 1 + std::ldexp(1, -7), DType::bf16) == 1);
}

TEST_CASE("units count through zero, and the zeros are one number", "[ulp]") {
  CHECK(ulp_distance(0.0, -0.0, DType::f32) == 0);
  CHECK(ulp_distance(1e-45, -1e-45, DType::f32) == 2);
  CHECK(ulp_distance(-5e-324, 5e-324, DType::f64) == 2);
  CHECK(ulp_distance(inf, inf, DType::f64) == 0);
  CHECK(ulp_distance(std::numeric_limits<double>::max(), inf, DType::f64) == 1);
  // 0x7FF0000000000000 twice: as numpy.testing.assert_array_max_ulp counts the bits.
  CHECK(ulp_distance(-inf, inf, DType::f64) == 2 * std::uint64_t{0x7FF0000000000000});
}

TEST_CASE("both numbers are rounded to the narrower type first", "[ulp]") {
  CHECK(narrower(DType::f64, DType::f32) == DType::f32);
  CHECK(narrower(DType::bf16, DType::f16) == DType::bf16);
  CHECK(ulp_distance(0.1, static_cast<double>(0.1F), DType::f32) == 0);
  CHECK(ulp_distance(0.1, static_cast<double>(0.1F), DType::f64) > 0);
  CHECK(ulp_distance(1e300, 1, DType::f32) == 0x7F800000 - 0x3F800000); // 1e300 is infinite there
  CHECK_FALSE(is_floating(DType::i64));
}
