// Lesson 17: counts by hand, and against the walked architecture.

#include "architecture/blueprint.hpp"
#include "architecture/shape.hpp"
#include "core/error.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"

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
