#include "model/search.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/small_model.hpp"

using namespace tfx;

namespace {

/// The most probable token after each prefix, by whole forward passes of one source alone.
template <class Real>
TokenIds greedy_by_whole_passes(const Transformer<Real>& model, const TokenIds& src,
                                const DecodeLimits& limits) {
  TokenIds target{limits.start};
  while (target.size() <= limits.max_tokens) {
    const arma::Mat<Real> log_probs = forward(model, {ragged_batch({src}), ragged_batch({target})});
    const auto token = static_cast<std::uint32_t>(log_probs.col(target.size() - 1).index_max());
    if (token == limits.end) break;
    target.push_back(token);
  }
  return {target.begin() + 1, target.end()};
}

template <class Real>
void check_greedy(std::uint32_t seed) {
  INFO("seed " << seed);
  RandomInput random(seed);
  ModelSpec spec = small_spec();
  spec.layers = random.size(1, 3);
  spec.norm = {random.coin() ? Norm::annotated : Norm::layer,
               random.coin() ? NormPlacement::pre_norm : NormPlacement::post_norm};
  const auto model = small_model<Real>(seed, spec);
  const std::vector<TokenIds> src = random_rows(random, {3, 1, 8, 5}, 11);
  DecodeLimits limits{1, std::nullopt, random.size(0, 12)};
  if (random.coin()) limits.end = static_cast<std::uint32_t>(random.size(0, 12));
  const std::vector<TokenIds> ragged = greedy(model, ragged_batch(src), limits),
                              padded = greedy(model, padded_batch(src, 0), limits);
  REQUIRE(ragged.size() == src.size());
  CHECK(padded == ragged);
  CHECK(greedy(model, ragged_batch(src), limits, Prefix::recomputed) == ragged);
  for (std::size_t s = 0; s < src.size(); ++s)
    CHECK(ragged[s] == greedy_by_whole_passes(model, src[s], limits));
}

} // namespace

TEMPLATE_TEST_CASE("greedy takes the most probable token of every step, for ragged and padded sources",
                   "[search]", float, double) {
  for (std::uint32_t seed = 0; seed < 30; ++seed) check_greedy<TestType>(seed);
}

TEST_CASE("targets end at the end token, each at its own step, and without one at the limit", "[search]") {
  ModelSpec spec = small_spec();
  spec.norm.placement = NormPlacement::post_norm;
  std::vector<std::size_t> lengths;
  RandomInput random(5);
  const auto src = ragged_batch(random_rows(random, {3, 1, 8, 5, 7, 2, 2, 6}, 11));
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    const auto model = small_model<double>(seed, spec);
    const auto free = greedy(model, src, {1, std::nullopt, 9});
    for (const TokenIds& row : free) CHECK(row.size() == 9);
    const std::uint32_t end = free[0][3];
    const auto ended = greedy(model, src, {1, end, 9});
    for (std::size_t s = 0; s < ended.size(); ++s) {
      const auto until = std::find(free[s].begin(), free[s].end(), end);
      CHECK(ended[s] == TokenIds(free[s].begin(), until));
      lengths.push_back(ended[s].size());
    }
  }
  CHECK(std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) != lengths.end());
}
