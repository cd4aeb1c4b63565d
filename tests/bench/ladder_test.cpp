#include "bench/ladder.hpp"

#include "cli/bench/report.hpp"
#include "core/error.hpp"
#include "core/parallel.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace tfx;
using namespace tfx::bench;

TEST_CASE("every rung computes what the first one does", "[bench][ladder]") {
  for (const AttentionShape& shape :
       {AttentionShape{1, 1, 4, 1, 1, Mask::causal}, AttentionShape{2, 7, 8, 2, 1, Mask::causal},
        AttentionShape{2, 7, 8, 2, 1, Mask::none}, AttentionShape{1, 64, 8, 1, 1, Mask::causal},
        AttentionShape{1, 65, 24, 3, 1, Mask::causal}, AttentionShape{3, 130, 16, 4, 1, Mask::none}}) {
    const std::vector<Climbed> climbed = climb(rungs(), drawn_block(shape, 5), {});
    REQUIRE(climbed.size() == 7);
    for (const Climbed& one : climbed) {
      INFO(one.id << " of " << shape.seq << " tokens");
      CHECK(one.equal);
      CHECK(one.difference < 1e-5);
      CHECK_FALSE(one.figure); // nobody asked
    }
  }
}

TEST_CASE("a rung that gives something else is found, and not timed", "[bench][ladder]") {
  const auto engine = rung("fused").run;
  std::vector<Rung> mine{rung("loops"), rung("tiles")};
  mine.push_back(
      {"a thousandth too large", [&](const AttentionBlock& b) -> arma::fmat { return engine(b) * 1.001F; }});
  mine.push_back({"one cell wrong", [&](const AttentionBlock& b) {
                    arma::fmat y = engine(b);
                    y(3, 2) = -y(3, 2);
                    return y;
                  }});
  mine.push_back({"no number", [&](const AttentionBlock& b) {
                    arma::fmat y = engine(b);
                    y(0, 0) = std::numeric_limits<float>::quiet_NaN();
                    return y;
                  }});
  mine.push_back(
      {"one token short", [&](const AttentionBlock& b) -> arma::fmat { return engine(b).head_cols(6); }});
  mine.push_back(rung("fused"));
  LadderRun run;
  run.rungs = climb(mine, drawn_block({1, 7, 8, 2, 1, Mask::causal}, 5), Repeats{0, 2});
  for (const std::size_t good : {0, 1, 6}) {
    CHECK(run.rungs[good].equal);
    CHECK(run.rungs[good].figure->timing.runs == 2);
  }
  for (const std::size_t bad : {2, 3, 4, 5}) {
    INFO(run.rungs[bad].id);
    CHECK_FALSE(run.rungs[bad].equal);
    CHECK_FALSE(run.rungs[bad].figure);
  }
  CHECK(run.rungs[2].difference == Approx(1e-3).epsilon(0.01));
  CHECK_FALSE(run.agrees());
  run.rungs = climb({rung("loops"), rung("fused")}, drawn_block({1, 7, 8, 2, 1, Mask::causal}, 5), {});
  CHECK(run.agrees());
}

TEST_CASE("only the last rung has all threads, and they are given back", "[bench][ladder]") {
  const std::size_t before = threads();
  set_threads(2);
  const std::vector<Climbed> climbed = climb(rungs(), drawn_block({1, 7, 8, 2, 1, Mask::causal}, 5), {});
  for (const Climbed& one : climbed) CHECK(one.threads == (one.id == "threads" ? 2 : 1));
  CHECK(threads() == 2);
  set_threads(before);
}

TEST_CASE("whole scores take memory with n², the fused kernel does not", "[bench][ladder]") {
  const std::vector<Grown> grown = grow(8, 1024, 2048, Repeats{0, 1});
  REQUIRE(grown.size() == 2);
  CHECK(grown[0].n == 1024);
  CHECK(grown[1].n == 2048);
  for (const Grown& one : grown) {
    CHECK(one.fused.equal);
    if (one.whole.memory == 0) continue; // this system does not count
    const std::size_t scores = one.n * one.n * sizeof(float);
    CHECK(one.whole.memory > scores * 9 / 10);
    CHECK(one.fused.memory < scores / 2);
  }
}

TEST_CASE("a block that does not fit is refused", "[bench][ladder]") {
  CHECK_THROWS_AS(drawn_block({1, 10'000'000, 8, 2, 1, Mask::causal}, 5), Error);
  CHECK_THROWS_AS(drawn_block({1, 7, 8, 3, 1, Mask::causal}, 5), Error);
}
