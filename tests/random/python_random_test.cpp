#include "random/python_random.hpp"
#include "support/catch.hpp"

#include <nlohmann/json.hpp>

#include <bit>
#include <fstream>
#include <numeric>

using namespace tfx;

namespace {

double from_digits(const std::string& digits) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(std::stoull(digits, nullptr, 16)));
}

/// Compared as bits: a sum in another order is another number.
void require_bits(double value, const nlohmann::json& digits) {
  CHECK(std::bit_cast<std::uint64_t>(value) ==
        std::bit_cast<std::uint64_t>(from_digits(digits.get<std::string>())));
}

} // namespace

TEST_CASE("every draw equals Python's random, bit for bit", "[random]") {
  std::ifstream file(TFX_SOURCE_DIR "/data/reference/python_random.json");
  REQUIRE(file);
  const nlohmann::json runs = nlohmann::json::parse(file);
  REQUIRE(runs.size() >= 9);
  for (const auto& run : runs) {
    INFO("seed " << run["seed"]);
    PythonRandom random(run["seed"].get<std::uint64_t>());
    for (const auto& digits : run["random"]) require_bits(random.random(), digits);
    for (const auto& draw : run["bits"])
      CHECK(random.bits(draw[0].get<int>()) == draw[1].get<std::uint64_t>());
    for (const auto& draw : run["below"])
      CHECK(random.below(draw[0].get<std::uint64_t>()) == draw[1].get<std::uint64_t>());
    std::vector<int> values(20);
    std::iota(values.begin(), values.end(), 0);
    random.shuffle(values);
    CHECK(values == run["shuffled"].get<std::vector<int>>());
    for (const auto& digits : run["gauss"]) require_bits(random.gauss(0, 0.08), digits);
    for (const auto& digits : run["gauss_shifted"]) require_bits(random.gauss(-3, 2.5), digits);
    for (const auto& choice : run["choices"])
      CHECK(random.choose({0.5, 0, 1.25, 3, 0, 0.25}) == choice.get<std::size_t>());
    require_bits(random.random(), run["last"]);
  }
}
