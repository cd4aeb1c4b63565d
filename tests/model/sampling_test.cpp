#include "model/search.hpp"

#include "io/error_of.hpp"
#include "random/stream.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/small_model.hpp"

#include <cmath>
#include <map>

using namespace tfx;

namespace {

std::vector<double> logs(const std::vector<double>& probabilities) {
  std::vector<double> log_probs;
  for (const double p : probabilities) log_probs.push_back(std::log(p));
  return log_probs;
}

void check_choices(const std::vector<Choice>& found, const std::vector<Choice>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].token == expected[i].token);
    CHECK(found[i].probability == Approx(expected[i].probability).epsilon(1e-12));
  }
}

/// Every frequency within five standard deviations of its probability.
void check_frequencies(const std::map<std::uint32_t, std::size_t>& counts,
                       const std::vector<Choice>& expected, std::size_t draws) {
  const double n = static_cast<double>(draws);
  std::size_t total = 0;
  for (const Choice& choice : expected) {
    const std::size_t count = counts.count(choice.token) ? counts.at(choice.token) : 0;
    total += count;
    const double p = choice.probability, deviation = std::sqrt(n * p * (1 - p));
    INFO("token " << choice.token);
    CHECK(std::abs(static_cast<double>(count) - n * p) <= 5 * deviation + 1);
  }
  CHECK(total == draws); // nothing else is ever drawn
}

} // namespace

TEST_CASE("a temperature takes the root of the probabilities and renormalises them", "[search]") {
  const std::vector<double> log_probs = logs({0.2, 0.8});
  check_choices(choices(log_probs, {}), {{1, 0.8}, {0, 0.2}});
  check_choices(choices(log_probs, {2}), {{1, 2.0 / 3}, {0, 1.0 / 3}});      // √0.8 : √0.2 = 2 : 1
  check_choices(choices(log_probs, {0.5}), {{1, 16.0 / 17}, {0, 1.0 / 17}}); // 0.64 : 0.04 = 16 : 1
  check_choices(choices({-1000, -1001}, {1e-3}), {{0, 1}, {1, 0}});          // no 0/0 far below 0
}

TEST_CASE("top-k keeps k tokens, top-p the fewest whose sum reaches p, both renormalised", "[search]") {
  const std::vector<double> log_probs = logs({0.15, 0.5, 0.1, 0.25});
  check_choices(choices(log_probs, {1, 2}), {{1, 2.0 / 3}, {3, 1.0 / 3}});
  check_choices(choices(log_probs, {1, 9}), {{1, 0.5}, {3, 0.25}, {0, 0.15}, {2, 0.1}});
  check_choices(choices(log_probs, {1, {}, 0.4}), {{1, 1}});
  check_choices(choices(log_probs, {1, {}, 0.7}), {{1, 2.0 / 3}, {3, 1.0 / 3}}); // 0.5 < 0.7 ≤ 0.75
  check_choices(choices(log_probs, {1, {}, 0.8}), {{1, 5.0 / 9}, {3, 2.5 / 9}, {0, 1.5 / 9}});
  check_choices(choices(log_probs, {1, {}, 0.95}), {{1, 0.5}, {3, 0.25}, {0, 0.15}, {2, 0.1}});
  // Of the two that top-k leaves, 0.5 / 0.75 = 2/3 already reaches 0.6.
  check_choices(choices(log_probs, {1, 2, 0.6}), {{1, 1}});
  // Temperature comes first: at T = 2 the first two hold 0.632 of the sum of the roots, at T = 1 they hold
  // 0.75.
  CHECK(choices(log_probs, {2, {}, 0.7}).size() == 3);
  check_choices(choices(logs({0.25, 0.25, 0.25, 0.25}), {1, 2}),
                {{0, 0.5}, {1, 0.5}}); // equal: the lowest ids
}

TEST_CASE("a draw falls on the choice in whose stretch the number lies", "[search]") {
  const std::vector<Choice> two{{7, 0.75}, {3, 0.25}};
  CHECK(draw(two, 0) == 7);
  CHECK(draw(two, 0.7499) == 7);
  CHECK(draw(two, 0.75) == 3);
  CHECK(draw(two, 0.9999) == 3);
  CHECK(draw({{7, 0.5}, {3, 0.4999999}}, 0.99999999) == 3); // rounding leaves nobody out
}

TEST_CASE("drawn tokens are as frequent as their probabilities", "[search]") {
  const ModelSpec spec = small_spec();
  const auto model = small_model<double>(5, spec);
  constexpr std::size_t draws = 4000;
  const Batch one = ragged_batch({{4, 2, 7}}), many = ragged_batch(std::vector<TokenIds>(draws, {4, 2, 7}));
  const arma::mat first = forward(model, {one, ragged_batch({{1}})});
  const std::vector<double> log_probs(first.begin(), first.end());
  for (const Sampling& rule : {Sampling{1, {}, 1, 1}, Sampling{0.5, {}, 1, 2}, Sampling{2, {}, 1, 3},
                               Sampling{1, 3, 1, 4}, Sampling{1.5, 6, 0.6, 5}}) {
    std::map<std::uint32_t, std::size_t> counts;
    for (const TokenIds& target : sample(model, many, {1, std::nullopt, 1}, rule)) ++counts[target.at(0)];
    check_frequencies(counts, choices(log_probs, rule), draws);
  }
}

TEST_CASE("samples are a function of the seed, the step and the place, not of threads or of the cache",
          "[search]") {
  RandomInput random(8);
  const auto model = small_model<double>(8);
  const Batch src = ragged_batch(random_rows(random, {3, 5, 1, 7}, 11));
  const DecodeLimits limits{1, 2u, 12};
  const Sampling rule{1.5, {}, 1, 77};
  const auto targets = sample(model, src, limits, rule);
  CHECK(sample(model, src, limits, rule, Prefix::recomputed) == targets);
  CHECK(sample(model, src, limits, {1.5, {}, 1, 78}) != targets);
  {
    const ThreadCount two(2);
    CHECK(sample(model, src, limits, rule) == targets);
  }
  // By hand: step by step the stream's number on the choices of a whole forward pass.
  TokenIds target{1};
  for (std::size_t step = 0; step < 12; ++step) {
    const arma::mat all =
        forward(model, {ragged_batch({{src.ids.begin(), src.ids.begin() + 3}}), ragged_batch({target})});
    const arma::vec last = all.col(step);
    const double uniform = RandomStream(77, stream_number("sample"), step).uniform(0);
    const std::uint32_t token = draw(choices({last.begin(), last.end()}, rule), uniform);
    if (token == 2) break;
    target.push_back(token);
  }
  CHECK(TokenIds(target.begin() + 1, target.end()) == targets[0]);
}

TEST_CASE("top-k 1 is greedy, and so is a temperature near 0", "[search]") {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    RandomInput random(seed);
    const auto model = small_model<float>(seed);
    const Batch src = ragged_batch(random_rows(random, {3, 5, 1, 7}, 11));
    const DecodeLimits limits{1, 2u, 12};
    CHECK(sample(model, src, limits, {1, 1, 1, seed}) == greedy(model, src, limits));
    CHECK(sample(model, src, limits, {1e-7, {}, 1, seed}) == greedy(model, src, limits));
  }
}

TEST_CASE("a rule that lets nothing through is refused, and so is a model of NaN", "[search]") {
  const std::vector<double> log_probs = logs({0.5, 0.5});
  for (const double bad : {0.0, -1.0, HUGE_VAL, std::nan("")})
    check_error(ErrorKind::bad_data, "temperature must be a number above 0",
                [&] { choices(log_probs, {bad}); });
  check_error(ErrorKind::bad_data, "top-k 0", [&] { choices(log_probs, {1, 0}); });
  for (const double bad : {0.0, -0.1, 1.5, std::nan("")})
    check_error(ErrorKind::bad_data, "top-p must be above 0 and at most 1", [&] {
      choices(log_probs, {1, {}, bad});
    });
  auto model = small_model<float>(1);
  model.generator.bias[3] = std::nanf("");
  check_error(ErrorKind::bad_data, "log-probabilities of the next token are not numbers", [&] {
    greedy(model, ragged_batch({{1}}), {1, 2u, 3});
  });
}
