// Lesson 16: steps with kept keys and values are rows of one masked pass.

#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "trace/checks.hpp"

#include <algorithm>

using namespace tfx;

namespace {

Trace steps_of(const InputOptions& options) {
  return run_lesson(find_lesson("cache"), options).trace;
}

} // namespace

TEST_CASE("two steps with a cache, by hand", "[lessons][cache]") {
  const arma::mat one(1, 1, arma::fill::ones);
  const page::Projections p{one, 2 * one, 3 * one, arma::rowvec{0}, arma::rowvec{0}, arma::rowvec{1}};
  page::Cache cache;
  CHECK(page::cached_step({0.5}, p, cache)(0) == Approx(2.5)); // alone: its own value, 3·0.5 + 1
  const double w = 1 / (1 + std::exp(1.0 * (1 - 2)));          // scores 1·1 and 1·2, √1
  CHECK(page::cached_step({1}, p, cache)(0) == Approx((1 - w) * 2.5 + w * 4));
  CHECK(cache.K.n_rows == 2);
  CHECK(cache.K(0, 0) == Approx(1.0));
  CHECK(cache.V(1, 0) == Approx(4.0));
}

TEST_CASE("what decoding with a cache promises holds of any input", "[lessons][cache]") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    InputOptions options;
    options.seed = seed, options.n_q = 1 + seed % 7, options.d_model = 1 + seed % 6;
    if (seed % 2) options.d_k = 3, options.d_v = 2;
    options.init = Init::xavier;
    const Trace t = steps_of(options);
    INFO("seed " << seed);
    CHECK(t.checks.size() == 2);
    CHECK(std::ranges::all_of(t.checks, &Check::pass));
    const arma::mat weights = matrix(t["step_weights"]);
    if (weights.n_rows > 1) CHECK(arma::accu(arma::abs(arma::trimatu(weights, 1))) == 0);
    for (arma::uword i = 0; i < weights.n_rows; ++i) CHECK(arma::accu(weights.row(i)) == Approx(1));
  }
}

TEST_CASE("what the cache's page says of its cost is what its formulas give", "[lessons][cache]") {
  InputOptions options;
  options.n_q = 3, options.d_model = 4, options.d_k = 2, options.d_v = 5;
  const Trace t = steps_of(options);
  const auto table = std::ranges::find(t.experiments, "step_costs", &Experiment::name);
  REQUIRE(table != t.experiments.end());
  const double one = 4 * (2 + 2 + 5), key = 2 + 5; // the three projections; a key beside a query
  CHECK(table->values == Tensor({3, 4}, {1, key, one + key, one + key,                 //
                                         2, 2 * key, one + 2 * key, 2 * one + 4 * key, //
                                         3, 3 * key, one + 3 * key, 3 * one + 9 * key}));
  CHECK(std::get<std::string>(t.facts.at("kept_numbers")) == "21");
  const auto sizes = std::ranges::find(t.experiments, "cache_sizes", &Experiment::name);
  REQUIRE(sizes != t.experiments.end());
  CHECK(sizes->values.data.back() == 1074); // 2·32·32·128·2048 numbers of 2 bytes
}
