#include "train/task.hpp"

#include "core/error.hpp"
#include "io/error_of.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace tfx;

namespace {

std::vector<TokenIds> targets_of(const std::vector<Example>& examples) {
  std::vector<TokenIds> targets;
  for (const Example& example : examples) targets.push_back(example.tgt);
  std::sort(targets.begin(), targets.end());
  return targets;
}

} // namespace

TEST_CASE("shuffled targets are those of the batch, none at its own source", "[train]") {
  for (const char* name : {"copy", "reverse", "numbers-zh"}) {
    const auto own = make_task(name), shuffled = make_task(name, {.targets = Targets::shuffled});
    CHECK(shuffled->name() == name);
    CHECK(shuffled->max_tokens() == own->max_tokens());
    CHECK(shuffled->end() == own->end());
    std::size_t at_home = 0;
    for (std::uint64_t step = 0; step < 20; ++step) {
      const std::vector<Example> before = own->batch(64, 5, step), after = shuffled->batch(64, 5, step);
      REQUIRE(after.size() == before.size());
      for (std::size_t i = 0; i < before.size(); ++i) {
        REQUIRE(after[i].src == before[i].src);
        at_home += after[i].tgt == before[i].tgt;
      }
      CHECK(targets_of(after) == targets_of(before));
    }
    CHECK(at_home < 13); // two examples may have the same target by chance: one in a hundred at most
  }
}

TEST_CASE("a shuffle is a function of seed and step, different in each", "[train]") {
  const auto task = make_task("copy", {.targets = Targets::shuffled});
  CHECK(task->batch(8, 1, 2) == make_task("copy", {.targets = Targets::shuffled})->batch(8, 1, 2));
  // Where the first source's target went, over many steps: everywhere but to the first place
  const auto own = make_task("copy");
  std::vector<std::size_t> places(8);
  for (std::uint64_t step = 0; step < 7000; ++step) {
    const TokenIds target = own->batch(8, 1, step)[0].tgt;
    const std::vector<Example> shuffled = task->batch(8, 1, step);
    const auto found =
        std::find_if(shuffled.begin(), shuffled.end(), [&](const Example& e) { return e.tgt == target; });
    ++places.at(static_cast<std::size_t>(found - shuffled.begin()));
  }
  CHECK(places[0] == 0);
  for (std::size_t place = 1; place < 8; ++place) CHECK(places[place] == Approx(1000).margin(120));
}

TEST_CASE("few examples are the first of their seed, drawn again and again", "[train]") {
  const auto all = make_task("reverse"), few = make_task("reverse", {.examples = 3});
  const std::vector<Example> pool = all->batch(3, 7, 0);
  std::vector<std::size_t> drawn(3);
  for (std::uint64_t step = 0; step < 10; ++step)
    for (const Example& example : few->batch(90, 7, step)) {
      const auto found = std::ranges::find(pool, example);
      REQUIRE(found != pool.end());
      ++drawn.at(static_cast<std::size_t>(found - pool.begin()));
    }
  for (const std::size_t count : drawn) CHECK(count == Approx(300).margin(60));
  CHECK(few->batch(90, 7, 1) != few->batch(90, 7, 2));
  CHECK(few->batch(3, 8, 0) != few->batch(3, 7, 0));
  CHECK(few->held_out(20) == all->held_out(20));
}

TEST_CASE("held-out targets stay true, and one example cannot be shuffled", "[train]") {
  const auto own = make_task("reverse"), shuffled = make_task("reverse", {.targets = Targets::shuffled});
  CHECK(shuffled->held_out(50) == own->held_out(50));
  CHECK(shuffled->batch(0, 1, 1).empty());
  check_error(ErrorKind::usage, "a batch of one example has no other target",
              [&] { shuffled->batch(1, 1, 1); });
}
