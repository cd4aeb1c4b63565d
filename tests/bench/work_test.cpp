#include "bench/work.hpp"

#include "model/counts.hpp"
#include "model/weights.hpp"
#include "support/catch.hpp"
#include "support/model_parts.hpp"

using namespace tfx;
using namespace tfx::bench;

namespace {

TransformerShape small_shape() {
  TransformerShape shape;
  shape.spec.layers = 1, shape.spec.d_model = 2, shape.spec.d_ff = 3, shape.spec.heads = 1;
  shape.spec.src_vocab = 7, shape.spec.tgt_vocab = 5;
  shape.batch = 1, shape.src = 2, shape.tgt = 3;
  return shape;
}

Sequences one_sequence(std::size_t tokens) {
  Sequences sequences;
  sequences.append(tokens);
  return sequences;
}

} // namespace

TEST_CASE("the useful work of attention, by hand", "[bench][work]") {
  // A sequence of 3 tokens, d = 4: projections 4·3·16 = 192; pairs 6 of 9, 2·4 each.
  CHECK(attention_work({2, 3, 4, 2, 10, Mask::causal}).flops == 2 * 2 * (192 + 6 * 8));
  CHECK(attention_work({2, 3, 4, 2, 10, Mask::none}).flops == 2 * 2 * (192 + 9 * 8));
  CHECK(attention_work({2, 3, 4, 2, 10, Mask::causal}).tokens == 6);
}

TEST_CASE("the useful work of a model, by hand", "[bench][work]") {
  // encoder 32 + 16 + 24; decoder self 48 + 24 of 6 pairs, cross 24 + 16 + 24, feed-forward 36; generator 30
  CHECK(model_work(small_shape()).flops == 2 * (72 + 72 + 64 + 36 + 30));
  CHECK(train_work(small_shape()).flops == 3 * 2 * 274);
}

TEST_CASE("the useful work of a model is what it executes, less the pairs that the mask hides",
          "[bench][work]") {
  const TransformerShape shape = small_shape();
  const std::uint64_t hidden_pairs = 3; // of 3 × 3, each 2·d
  CHECK(model_work(shape).flops ==
        2.0 * static_cast<double>(forward_macs(shape.spec, one_sequence(2), one_sequence(3)) -
                                  hidden_pairs * 2 * 2));
}

TEST_CASE("the work of decoding is the encoder's and that of every cached step", "[bench][work]") {
  const TransformerShape shape = small_shape();
  std::uint64_t macs = 72 + memory_macs(shape.spec, 2); // the encoder as above
  for (std::uint64_t m = 1; m <= 3; ++m) macs += cached_step_macs(shape.spec, 2, m);
  CHECK(decode_work(shape).flops == 2.0 * static_cast<double>(macs));
  CHECK(decode_work(shape).tokens == 3);
  // Numbers read: the encoder's weights and those for K and V of the memory, 36; a step 24 + 12 + 10 of
  // weights; keys and values 2·2 a pair, 1 + 2 + 3 of the target and 3·2 of the source.
  CHECK(decode_work(shape).bytes == 4 * (36 + 3 * 46 + 4 * 12));

  // A step's weights in 2 bytes, or in 1 with a scale for each of 7·2 + 3 + 5 rows.
  TransformerShape narrow = shape;
  narrow.weights = WeightType::bf16;
  CHECK(decode_work(narrow).bytes == 4 * (36 + 4 * 12) + 3 * 2 * 46);
  narrow.weights = WeightType::int8;
  CHECK(decode_work(narrow).bytes == 4 * (36 + 4 * 12) + 3 * (46 + 4 * 22));
}

TEST_CASE("the useful work of a decoder alone, by hand", "[bench][work]") {
  TransformerShape shape = small_shape();
  shape.spec.stacks = Stacks::decoder;
  // A token: attention 4·4, feed-forward 12, generator 10; 6 pairs of 4.
  CHECK(model_work(shape).flops == 2 * (3 * 38 + 24));
  CHECK(model_work(shape).tokens == 3);
  // 4 of a prompt, and 2 more that are read: 28 each, the generator for the 3 written, 21 pairs of 4.
  shape.prompt = 4;
  CHECK(decode_work(shape).flops == 2 * (6 * 28 + 3 * 10 + 21 * 4));
  // The weights in 3 passes, and K and V of 4, 5 and 6 tokens.
  CHECK(decode_work(shape).bytes == 4 * (3 * 38 + 2 * 2 * (4 + 5 + 6)));
  shape.weights = WeightType::bf16;
  CHECK(decode_work(shape).bytes == 3 * 2 * 38 + 4 * 60);
  shape.spec.tied = true; // the table of embeddings stays in float
  CHECK(decode_work(shape).bytes == 3 * (2 * 28 + 4 * 10) + 4 * 60);
  shape.weights = WeightType::int8; // a scale for each of 4·2 + 3 + 2 rows
  CHECK(decode_work(shape).bytes == 3 * (28 + 4 * 13 + 4 * 10) + 4 * 60);
  // Grouped keys are fewer numbers, a window keeps fewer of them.
  shape.weights = WeightType::f32, shape.spec.heads = 2, shape.spec.kv_heads = 1, shape.spec.window = 5;
  CHECK(decode_work(shape).bytes == 4 * (3 * (12 + 12 + 10) + 2 * (4 + 5 + 5)));
}

TEST_CASE("the bytes of a decoded token's weights are those that stand in the model", "[bench][work]") {
  RandomInput random(5);
  for (int i = 0; i < 30; ++i) {
    TransformerShape shape = small_shape();
    shape.spec = random_parts(random, random.coin() ? Stacks::both : Stacks::decoder);
    shape.src = shape.tgt = 1, shape.spec.window = 0;
    Transformer<float> model(shape.spec);
    TransformerShape two = shape;
    two.tgt = 2; // another step: its weights, and K and V of two tokens more than nothing
    for (const WeightType type : {WeightType::f32, WeightType::int8}) {
      shape.weights = two.weights = type;
      narrow(model, type);
      const double cached =
          sizeof(float) * static_cast<double>(cached_numbers(shape.spec, shape.sources(), 2));
      CHECK(decode_work(two).bytes - decode_work(shape).bytes ==
            static_cast<double>(weight_bytes_of_a_token(model)) + cached);
    }
  }
}

TEST_CASE("the presets' work is the floor that the goals are stated with", "[bench][work]") {
  const auto gflop = [](const char* name) {
    const WorkPreset& preset = *find_preset(name);
    if (preset.what == What::attention)
      return attention_work(std::get<AttentionShape>(preset.shape)).flops / 1e9;
    return model_work(std::get<TransformerShape>(preset.shape)).flops / 1e9;
  };
  CHECK(gflop("A1") == Approx(0.2854).epsilon(1e-3)); // 512 tokens · 4·256², 8·2080 pairs · 2·256
  CHECK(gflop("A3") == Approx(8.592).epsilon(1e-3));
  CHECK(gflop("A4") == Approx(85.90).epsilon(1e-3));
  CHECK(gflop("B11") == Approx(46.11).epsilon(1e-3));
  CHECK(gflop("E") == Approx(26.17).epsilon(1e-3)); // 512 tokens · 23,994,368 and 131,328 pairs · 6·2·512
  CHECK(gflop("H") == Approx(0.4451).epsilon(1e-3)); // 1024 tokens · 200,704, 16·2080 pairs · 4·2·64
  CHECK(find_preset("A5") == nullptr);
}
