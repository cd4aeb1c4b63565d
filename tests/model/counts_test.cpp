// What a model holds and does, by formula, held to the parameters that stand in it and to the products that
// it executes.

#include "model/counts.hpp"

#include "kernels/gemm.hpp"
#include "model/kv_cache.hpp"
#include "support/catch.hpp"
#include "support/model_parts.hpp"
#include "support/small_model.hpp"

using namespace tfx;

namespace {

constexpr Stacks every_stacks[] = {Stacks::both, Stacks::decoder, Stacks::encoder};

/// One layer of a decoder alone with everything that Llama has.
ModelSpec counted_by_hand() {
  ModelSpec spec;
  spec.stacks = Stacks::decoder, spec.layers = 1;
  spec.d_model = 4, spec.d_ff = 5, spec.heads = 4, spec.kv_heads = 2, spec.head_width = 3;
  spec.gated = true, spec.window = 2, spec.tgt_vocab = 7, spec.max_len = 9;
  spec.norm.rule = Norm::rms, spec.norm.shift = false;
  spec.biases = {false, false, false, false};
  return spec;
}

std::uint64_t executed_by(const std::function<void()>& work) {
  const std::uint64_t before = executed_macs();
  work();
  return executed_macs() - before;
}

/// The lengths of some sequences.
std::vector<std::size_t> random_lengths(RandomInput& random, std::size_t count, std::size_t longest) {
  std::vector<std::size_t> lengths(count);
  for (std::size_t& length : lengths) length = random.size(1, longest);
  return lengths;
}

/// CountedPairs that a causal mask with a window shows, one by one.
std::uint64_t pairs_by_loops(std::size_t window, std::size_t before, std::size_t fresh) {
  std::uint64_t pairs = 0;
  for (std::size_t query = before; query < before + fresh; ++query)
    for (std::size_t key = 0; key <= query; ++key) pairs += window == 0 || key + window > query;
  return pairs;
}

} // namespace

TEST_CASE("parameters and multiply-adds of a small decoder, by hand", "[model][counts]") {
  ModelSpec spec = counted_by_hand();
  // d_q = 12, d_kv = 6: W_Q and W_O 4·12 each, W_K and W_V 4·6 each, the gate's three 4·5; three gains of 4.
  CHECK(stack_parameters(spec) == 2 * 48 + 2 * 24 + 3 * 20 + 3 * 4);
  CHECK(model_parameters(spec) == 216 + 2 * 4 * 7);
  spec.tied = true, spec.positions = Positions::learned;
  CHECK(model_parameters(spec) == 216 + 4 * 7 + 4 * 9);
  // 3 tokens: 204 of matrices and 28 of the generator each; 3·3 pairs of 2·12, of which 1 + 2 + 2 are seen.
  Sequences three;
  three.append(3);
  CHECK(forward_macs(spec, {}, three) == 3 * (204 + 28) + 9 * 24);
  CHECK(forward_macs(spec, {}, three, CountedPairs::seen) == 3 * (204 + 28) + 5 * 24);
  CHECK(read_macs(spec, 0, 0, 3) == 3 * 204 + 28 + 9 * 24); // a prompt has one next token
  CHECK(cached_step_macs(spec, 0, 4) == 204 + 28 + 4 * 24);
  CHECK(read_macs(spec, 0, 3, 1, CountedPairs::seen) == 204 + 28 + 2 * 24);
  CHECK(cached_numbers(spec, 0, 4) == 2 * 6 * 4);
}

TEST_CASE("of any spec the formulas give the parameters that stand in the model", "[model][counts]") {
  RandomInput random(1);
  for (std::size_t i = 0; i < 600; ++i) {
    INFO(i);
    const ModelSpec spec = random_parts(random, every_stacks[i % 3]);
    const Transformer<ShapesOnly> model(spec);
    CHECK(model_parameters(spec) == count_parameters(model));
    CHECK(stack_parameters(spec) == count_parameters(model.encoder) + count_parameters(model.decoder));
  }
}

TEST_CASE("of any spec the formulas give the multiply-adds that a forward pass executes", "[model][counts]") {
  for (std::uint32_t seed = 0; seed < 90; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const ModelSpec spec = random_parts(random, every_stacks[seed % 3]);
    const auto model = small_model<float>(seed, spec);
    const std::size_t rows = random.size(1, 3);
    Batch src, tgt;
    if (spec.has_encoder())
      src = ragged_batch(random_rows(random, random_lengths(random, rows, 7), spec.src_vocab));
    if (spec.has_decoder())
      tgt = ragged_batch(random_rows(random, random_lengths(random, rows, 7), spec.tgt_vocab));
    CHECK(executed_by([&] {
            forward(model, {src, tgt});
          }) == forward_macs(spec, src.sequences, tgt.sequences));
  }
}

TEST_CASE("of any spec the formulas give what a cache executes and keeps", "[model][counts]") {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const ModelSpec spec = random_parts(random, every_stacks[seed % 2]);
    const auto model = small_model<double>(seed, spec);
    const std::size_t n = spec.has_encoder() ? random.size(1, 6) : 0, prompt = random.size(1, 6);
    std::optional<Prompt> begun(std::vector<TokenIds>(1));
    if (n) begun = Prompt(ragged_batch(random_rows(random, {n}, spec.src_vocab)));
    std::optional<NextToken<double>> next;
    const std::uint64_t opened = executed_by([&] {
      next.emplace(model, *begun, CacheRoom{24, 1}, Prefix::cached);
    });
    ModelSpec encoder = spec;
    encoder.stacks = Stacks::encoder;
    const std::uint64_t encoding = n ? forward_macs(encoder, begun->src->sequences, {}) : 0;
    CHECK(opened == encoding + memory_macs(spec, n));
    CHECK(executed_by([&] { next->after(random_rows(random, {prompt}, spec.tgt_vocab)); }) ==
          read_macs(spec, n, 0, prompt));
    for (std::size_t m = prompt + 1; m < prompt + 4; ++m)
      CHECK(executed_by([&] { next->after(TokenIds{1}); }) == cached_step_macs(spec, n, m));
    CHECK(next->cache_bytes() == cached_numbers(spec, n, prompt + 3) * sizeof(double));

    NextToken<double> whole(model, *begun, {24, 1}, Prefix::recomputed);
    CHECK(executed_by([&] { whole.after(random_rows(random, {prompt}, spec.tgt_vocab)); }) ==
          recomputed_step_macs(spec, n, prompt));
  }
}

TEST_CASE("pairs that a mask hides are those that a loop leaves out", "[model][counts]") {
  ModelSpec spec = counted_by_hand();
  for (const std::size_t window : {0, 1, 2, 5, 30})
    for (std::uint64_t before = 0; before < 9; ++before)
      for (std::uint64_t fresh = 1; fresh < 9; ++fresh) {
        spec.window = window;
        const std::uint64_t hidden = fresh * (before + fresh) - pairs_by_loops(window, before, fresh);
        CHECK(read_macs(spec, 0, before, fresh) - read_macs(spec, 0, before, fresh, CountedPairs::seen) ==
              hidden * 2 * 12);
      }
}
