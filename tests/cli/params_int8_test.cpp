#include "cli/params/int8.hpp"

#include "support/catch.hpp"
#include "support/random_input.hpp"

#include <cmath>

using namespace tfx;

TEST_CASE("a row in 8 bits, and a matrix in each type, by hand", "[narrow]") {
  // Row 0 has scale 127/127 = 1, row 1 its own. bf16 numbers lie 1/4 apart around 63.4, and 2⁻⁷ above 1.
  const std::vector<float> weight{127, -63.4F, 2.25F, 0, 1 + 1.0F / 256, 0, 0, 0};
  const HeldMatrix held = held_matrix(weight, 2, 4, 0);
  CHECK(held.scale == 1);
  REQUIRE(held.numbers.size() == 4);
  CHECK(held.numbers[0].q == 127);
  CHECK(held.numbers[1].q == -63);
  CHECK(held.numbers[2].q == 2);
  CHECK(held.numbers[3].q == 0);
  CHECK(held.numbers[1].weight == -63.4F);
  CHECK(held.numbers[1].held == -63);
  CHECK(held.numbers[1].error == Approx(0.4).epsilon(1e-5));
  CHECK(held.numbers[2].error == -0.25);
  CHECK(held.at_largest == 0);
  CHECK(held.at_worst == 1);
  CHECK(held.largest_in_scales == Approx(0.4).epsilon(1e-5));

  REQUIRE(held.types.size() == 3);
  CHECK(held.types[0].bytes == 32);
  CHECK(held.types[0].largest_error == 0);
  CHECK(held.types[0].rms_error == 0);
  CHECK(held.types[1].bytes == 16);
  CHECK(held.types[1].largest_error == Approx(0.1).epsilon(1e-4));
  CHECK(held.types[1].rms_error == Approx(std::sqrt((0.01 + 1.0 / 65536) / 8)).epsilon(1e-4));
  CHECK(held.types[2].bytes == 8 + 2 * 4);
  CHECK(held.types[2].largest_error == Approx(0.4).epsilon(1e-5));
  CHECK(held.types[2].rms_error == Approx(std::sqrt((0.16 + 0.0625) / 8)).epsilon(1e-5));

  const HeldMatrix other = held_matrix(weight, 2, 4, 1);
  CHECK(other.row == 1);
  CHECK(other.numbers[0].q == 127);
  CHECK(static_cast<double>(other.scale) == Approx(257.0 / 256 / 127).epsilon(1e-6));
}

TEST_CASE("rounding to 8 bits errs by half a scale at most, and by nearly that somewhere", "[narrow]") {
  RandomInput random(5);
  std::vector<float> weight(20 * 33);
  for (std::size_t i = 0; i < weight.size(); ++i) // each row of its own size
    weight[i] = static_cast<float>(random.number(1) * std::pow(10.0, static_cast<double>(i / 33) - 10));
  const HeldMatrix held = held_matrix(weight, 20, 33, 19);
  CHECK(held.largest_in_scales > 0.49);
  CHECK(held.largest_in_scales < 0.5 + 2e-5);
  CHECK(std::abs(held.numbers[held.at_largest].q) == 127);

  const HeldMatrix zeros = held_matrix({0, 0, 1, 2}, 2, 2, 0);
  CHECK(zeros.scale == 0);
  CHECK(zeros.numbers[1].held == 0);
  CHECK(zeros.types[2].rms_error < 0.01);
}
