#include "core/stopwatch.hpp"
#include "model/transformer.hpp"
#include "model/weights.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/small_model.hpp"

#include <fstream>

using namespace tfx;

namespace {

/// The most memory that this process ever held, in kB.
std::size_t high_water_mark() {
  std::ifstream status("/proc/self/status");
  std::size_t kilobytes = 0;
  for (std::string key; status >> key;)
    if (key == "VmHWM:") status >> kilobytes;
  return kilobytes;
}

} // namespace

// Hidden, as it takes a second and has to run in a process of its own: tests/tfx_tests "[memory]"
TEST_CASE("make_model(10000, 10000, N=6) forwards 8 × (64 + 64) tokens in float in under 1 GB",
          "[.][memory]") {
  const ThreadCount two(2);
  ModelSpec spec;
  spec.src_vocab = spec.tgt_vocab = 10000;
  Transformer<float> model(spec);
  initialize(model, WeightInit::xavier_uniform, 1);
  RandomInput random(1);
  const Batch src = ragged_batch(random_rows(random, std::vector<std::size_t>(8, 64), 10000)),
              tgt = ragged_batch(random_rows(random, std::vector<std::size_t>(8, 64), 10000));
  forward(model, {src, tgt});
  const Stopwatch watch;
  CHECK(forward(model, {src, tgt}).is_finite());
  WARN("VmHWM " << high_water_mark() / 1000 << " MB, " << watch.seconds() * 1000
                << " ms a forward on two threads");
  CHECK(high_water_mark() < 1'000'000);
}
