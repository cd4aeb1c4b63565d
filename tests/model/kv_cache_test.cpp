#include "model/kv_cache.hpp"

#include "io/error_of.hpp"
#include "kernels/gemm.hpp"
#include "model/weights.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/model_parts.hpp"
#include "support/small_model.hpp"

using namespace tfx;

namespace {

ModelSpec random_spec(RandomInput& random) {
  ModelSpec spec = small_spec();
  spec.layers = random.size(1, 3), spec.heads = std::vector<std::size_t>{1, 3, 4}[random.size(0, 2)];
  spec.norm = {random.coin() ? Norm::annotated : Norm::layer,
               random.coin() ? NormPlacement::pre_norm : NormPlacement::post_norm};
  return spec;
}

Batch random_sources(RandomInput& random, std::size_t count, std::size_t vocab = 11) {
  std::vector<std::size_t> lengths(count);
  for (std::size_t& length : lengths) length = random.size(1, 9);
  const std::vector<TokenIds> rows = random_rows(random, lengths, vocab);
  return random.coin() ? ragged_batch(rows) : padded_batch(rows, 0);
}

/// A model of the family's own parts, or of any parts at all.
ModelSpec any_spec(RandomInput& random) {
  if (random.coin()) return random_spec(random);
  return random_parts(random, random.coin() ? Stacks::decoder : Stacks::both);
}

/// Random rows that live, leave and fork, and read one token or several at once: the cache and the whole
/// prefix have to say the same at every step.
template <class Real>
void check_steps(std::uint32_t seed) {
  INFO("seed " << seed);
  RandomInput random(seed);
  auto model = small_model<Real>(seed, any_spec(random));
  // A norm over the two numbers of a narrow head magnifies what rounding leaves.
  const double bound = (model.spec.qk_norm ? 2 : 1) * kernel_bound<Real>;
  if constexpr (std::is_same_v<Real, float>) narrow(model, weight_types()[seed % 3].second);
  const ModelSpec& spec = model.spec;
  const std::size_t rows = random.size(1, 4);
  const Prompt prompt = spec.has_encoder() ? Prompt(random_sources(random, rows, spec.src_vocab))
                                           : Prompt(std::vector<TokenIds>(rows));
  const CacheRoom room{20, 6};
  NextToken<Real> cached(model, prompt, room, Prefix::cached),
      recomputed(model, prompt, room, Prefix::recomputed);
  for (std::size_t step = 0; step < 7 && cached.rows() > 0; ++step) {
    INFO("step " << step);
    std::vector<std::size_t> lengths(cached.rows());
    for (std::size_t& length : lengths) length = random.coin() ? 1 : random.size(1, step == 0 ? 6 : 2);
    const std::vector<TokenIds> fresh = random_rows(random, lengths, spec.tgt_vocab);
    const arma::Mat<Real> log_probs = cached.after(fresh);
    CHECK(log_probs.n_cols == fresh.size());
    CHECK(worst_difference(log_probs, recomputed.after(fresh)) <= bound);
    if (random.coin()) continue;
    std::vector<std::size_t> from;
    for (std::size_t i = random.size(1, room.rows); i > 0; --i)
      from.push_back(random.size(0, fresh.size() - 1));
    cached.keep(from), recomputed.keep(from);
  }
}

} // namespace

TEMPLATE_TEST_CASE("with the cache every step gives what the whole prefix gives, rows leaving and forking",
                   "[cache][parts]", float, double) {
  for (std::uint32_t seed = 0; seed < 120; ++seed) check_steps<TestType>(seed);
}

TEMPLATE_TEST_CASE("steps over a target give the columns of one masked pass over it", "[cache]", float,
                   double) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const auto model = small_model<TestType>(seed, random_spec(random));
    const Batch src = random_sources(random, 3);
    const std::vector<TokenIds> targets = random_rows(random, {7, 7, 7}, 13);
    const arma::Mat<TestType> whole = forward(model, {src, ragged_batch(targets)});
    NextToken<TestType> next(model, src, {7, 3}, Prefix::cached);
    for (std::size_t t = 0; t < 7; ++t) {
      const arma::Mat<TestType> step = next.after({targets[0][t], targets[1][t], targets[2][t]});
      for (std::size_t row = 0; row < 3; ++row)
        CHECK(worst_difference(step.col(row).eval(), whole.col(row * 7 + t).eval()) <=
              kernel_bound<TestType>);
    }
  }
}

TEST_CASE("one thread and two give the same step", "[cache]") {
  ModelSpec spec = small_spec();
  spec.d_model = 96, spec.d_ff = 128, spec.heads = 4;
  const auto model = small_model<double>(1, spec);
  RandomInput random(1);
  const Batch src = ragged_batch(random_rows(random, std::vector<std::size_t>(64, 30), 11));
  NextToken<double> alone(model, src, {2, 64}, Prefix::cached);
  const arma::mat expected = alone.after(TokenIds(64, 1));
  const ThreadCount two(2);
  NextToken<double> together(model, src, {2, 64}, Prefix::cached);
  CHECK(worst_difference(together.after(TokenIds(64, 1)), expected) <= kernel_bound<double>);
}

TEST_CASE("a step with the cache executes one position's multiply-adds", "[cache]") {
  const ModelSpec spec = small_spec();
  const std::size_t N = spec.layers, d = spec.d_model, f = spec.d_ff;
  const auto model = small_model<float>(3);
  RandomInput random(3);
  const Batch src = ragged_batch(random_rows(random, {5, 9}, 11));
  const arma::Mat<float> memory = encode(model, src);
  reset_executed_macs();
  DecoderCache<float> cache(model, Tokens<float>{memory, src.sequences}, 2, {4, 2});
  CHECK(executed_macs() == N * 2 * 14 * d * d);
  for (std::size_t t = 0; t < 4; ++t) {
    reset_executed_macs();
    decode_step(model, cache, {{1}, {2}});
    CHECK(executed_macs() == N * (2 * (6 * d * d + 2 * d * f + 2 * (t + 1) * d) + 2 * 14 * d));
    CHECK(cache.bytes() == N * 2 * d * (2 * (t + 1) + 14) * sizeof(float));
  }
}

TEST_CASE("a cache that is full, too large or given too few tokens refuses", "[cache]") {
  const auto model = small_model<float>(1);
  const Batch src = ragged_batch({{1, 2}});
  const arma::Mat<float> memory = encode(model, src);
  const Tokens<float> tokens{memory, src.sequences};
  check_error(ErrorKind::bad_data, "a target may grow to 41 tokens, the model takes 40", [&] {
    DecoderCache<float>(model, tokens, 1, {41, 1});
  });
  check_error(ErrorKind::no_memory, "the cache of keys and values needs about", [&] {
    DecoderCache<float>(model, tokens, 1, {40, std::size_t{1} << 40});
  });
  DecoderCache<float> cache(model, tokens, 1, {1, 1});
  check_error(ErrorKind::bad_data, "2 tokens for 1 rows", [&] { decode_step(model, cache, {{1}, {2}}); });
  check_error(ErrorKind::bad_data, "the id 13, the vocabulary has 13",
              [&] { decode_step(model, cache, {TokenIds{13}}); });
  decode_step(model, cache, {TokenIds{1}});
  check_error(ErrorKind::bad_data, "room for 1 tokens, and is full",
              [&] { decode_step(model, cache, {TokenIds{1}}); });
}
