// What `tfx verify` compares. That the numbers themselves agree, tests of each part show too; here that every
// part has its line, and that a line can fail.

#include "parity/verification.hpp"

#include "lessons/catalogue.hpp"
#include "parity/torch_runs.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace tfx;

TEST_CASE("every lesson is compared with NumPy", "[parity][verify]") {
  const std::vector<Verified> lines = verify_lessons();
  REQUIRE(lines.size() == page_lessons().size());
  for (const Verified& line : lines) {
    INFO(line.subject << ": " << line.worst);
    CHECK(line.holds());
    CHECK(line.sources >= 1);
  }
}

TEST_CASE("every draw is compared with NumPy", "[parity][verify]") {
  const Verified line = verify_random();
  CHECK(line.holds());
  CHECK(line.compared >= 50000);
  CHECK(line.sources >= 5);
}

TEST_CASE("the engine is compared with PyTorch, the page and itself", "[parity][verify]") {
  std::size_t models = 0;
  for (const Verified& line : verify_engine()) {
    INFO(line.id << " " << line.subject << ": " << line.worst);
    CHECK(line.holds());
    if (line.id == "forward") models = line.sources;
  }
  CHECK(models == 8);
  CHECK(torch_runs("training/gradients-").size() == 8);
}

TEST_CASE("a line without numbers, or beyond its bound, does not hold", "[parity][verify]") {
  Verified line{"lesson", "scores", 1, 10, 1e-13, 1e-12};
  CHECK(line.holds());
  line.worst = 2e-12;
  CHECK_FALSE(line.holds());
  line.worst = 0, line.compared = 0;
  CHECK_FALSE(line.holds());
}
