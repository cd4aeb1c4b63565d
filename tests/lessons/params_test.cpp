// Lesson 17: counts by hand, and against the walked architecture.

#include "architecture/blueprint.hpp"
#include "architecture/shape.hpp"
#include "core/error.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint.hpp"
#include "model/counts.hpp"
#include "support/catch.hpp"
#include "support/small_model.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>

using namespace tfx;

namespace {

Trace counted(const InputOptions& options) {
  return run_lesson(find_lesson("params"), options).trace;
}

double first_cell(const Trace& t, const char* name) {
  return t[name].data.at(0);
}

} // namespace

TEST_CASE("parameters and products of a small model, by hand", "[lessons][params]") {
  const page::Counts c = page::counts({.d = 2, .f = 3, .N = 1, .V = 5, .n = 4});
  // attention 4·(2·2 + 2) = 24, feed-forward 2·3 + 3 + 3·2 + 2 = 17, a norm 4
  CHECK(c.encoder_layer == 24 + 17 + 2 * 4);
  CHECK(c.decoder_layer == 2 * 24 + 17 + 3 * 4);
  CHECK(c.outside == 2 * 4 + 2 * 5 * 2 + 2 * 5 + 5); // two norms, two tables, the generator
  CHECK(c.parameters == 49 + 77 + 43);
  CHECK(c.weight_macs == 3 * 16 + 2 * 12 + 10); // three attentions, two feed-forward layers, the generator
  CHECK(c.mixing_macs == 3 * (4 * 2 + 4 * 2));  // four keys, then four values, of two numbers each
  CHECK(c.flops == 2 * (82 + 48));
  CHECK(c.training_bytes == 16 * 169);
}

TEST_CASE("the default counts what tfx params counts", "[lessons][params]") {
  const Trace t = counted({});
  CHECK(first_cell(t, "total") == 44'157'451);
  CHECK(first_cell(t, "macs") == 5'939'855'360 / 128.0);
  CHECK(std::ranges::all_of(t.checks, &Check::pass));
}

TEST_CASE("what is counted holds of any sizes", "[lessons][params]") {
  for (std::size_t seed = 0; seed < 40; ++seed) {
    InputOptions o;
    o.heads = 1 + seed % 4, o.d_model = *o.heads * (1 + seed % 7), o.d_ff = 1 + seed * 3 % 17;
    o.layers = 1 + seed % 5, o.vocab = 1 + seed, o.seq = 1 + seed * 5 % 23;
    const Trace t = counted(o);
    INFO("seed " << seed);
    for (const Check& check : t.checks) {
      INFO(check.id << " " << check.value);
      CHECK(check.pass);
    }
  }
}

TEST_CASE("a decoder's parts are counted as they stand in it", "[lessons][params][trained]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("decoder.safetensors");
  for (std::size_t seed = 0; seed < 24; ++seed) {
    INFO("seed " << seed);
    ModelSpec spec = small_spec();
    spec.stacks = Stacks::decoder, spec.src_vocab = 0, spec.max_len = 7 + seed, spec.layers = 1 + seed % 3;
    spec.positions = seed % 3 == 0   ? Positions::learned
                     : seed % 3 == 1 ? Positions::rotary
                                     : Positions::sinusoidal;
    spec.tied = seed % 4 == 1, spec.gated = seed % 2 == 1, spec.embedding_norm = seed % 5 == 0;
    spec.final_norm = seed % 3 != 2, spec.norm.shift = seed % 4 != 2;
    spec.biases = {seed % 2 == 0, seed % 3 != 0, seed % 5 != 1, seed % 7 != 2};
    const auto model = small_model<double>(1, spec);
    save_model(model, path);
    InputOptions o;
    o.model = path;
    if (seed % 2) o.seq = 5;
    const Trace t = counted(o);
    CHECK(first_cell(t, "total") == static_cast<double>(count_parameters(model)));
    const double n = seed % 2 ? 5 : static_cast<double>(spec.max_len);
    Sequences tokens;
    tokens.append(static_cast<std::size_t>(n));
    CHECK(first_cell(t, "macs") * n == static_cast<double>(forward_macs(spec, {}, tokens)));
    for (const Check& check : t.checks) {
      INFO(check.id << " " << check.value);
      CHECK(check.pass);
    }
  }
}

TEST_CASE("a model that the page cannot count is refused", "[lessons][params][trained]") {
  const TemporaryFolder folder;
  const auto refusal = [&](const ModelSpec& spec, const std::string& said) {
    InputOptions o;
    o.model = folder.path("model.safetensors");
    save_model(small_model<double>(1, spec), *o.model);
    CHECK_THROWS_WITH(counted(o), Catch::Matchers::ContainsSubstring(said));
  };
  refusal(small_spec(), "has an encoder");
  ModelSpec spec = small_spec();
  spec.stacks = Stacks::decoder, spec.src_vocab = 0;
  ModelSpec grouped = spec, narrow = spec, normed = spec, seeing = spec, alone = spec;
  grouped.kv_heads = 1, narrow.head_width = 6, normed.qk_norm = true, seeing.window = 2, alone.d_ff = 0;
  for (const ModelSpec& one : {grouped, narrow, normed, seeing, alone}) refusal(one, "four square matrices");
}

TEST_CASE("large sizes stay exact within rounding; what no machine holds is refused", "[lessons][params]") {
  InputOptions large;
  large.d_model = 100'000, large.layers = 1000, large.vocab = 1'000'000, large.seq = 1000;
  CHECK(std::ranges::all_of(counted(large).checks, &Check::pass));
  large.d_model = 10'000'000, large.seq = 1'000'000;
  try {
    counted(large);
    FAIL("counted");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::no_memory);
  }
  InputOptions odd;
  odd.heads = 7;
  CHECK_THROWS_AS(counted(odd), Error);
}

TEST_CASE("the boxes of the parameters are in proportion, and together all of them", "[lessons][params]") {
  for (const char* model : {"", "microgpt"}) {
    CAPTURE(model);
    InputOptions options;
    if (*model) options.model = model;
    const Trace t = counted(options);
    REQUIRE(t.idea);
    double total = 0;
    std::vector<double> counts;
    for (const PictureRow& row : t.idea->rows) {
      std::string digits; // "18,911,232  43 %"
      for (const char c : row.bars.at(0).text.substr(0, row.bars[0].text.find(' ')))
        if (c != ',') digits += c;
      counts.push_back(std::stod(digits)), total += counts.back();
    }
    CHECK(total == t["total"].data[0]);
    const double largest = *std::ranges::max_element(counts);
    for (std::size_t i = 0; i < counts.size(); ++i)
      CHECK(std::abs(t.idea->rows[i].bars[0].stretches.at(0).share - counts[i] / largest) < 1e-6);
  }
}
