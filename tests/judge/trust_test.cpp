// How far the diagnosis can be trusted: measured by hand-ins that were not used in making the catalogue.

#include "support/handed_in.hpp"

#include "support/catch.hpp"
#include "text/join.hpp"

#include <cstdio>

using namespace tfx;

TEST_CASE("what check says of every hand-in, to be read", "[.hand_ins]") {
  for (const char* set : {"first"}) {
    const Figures f = figures_of(set);
    std::printf("%s: %zu wrong: %zu found, %zu named, %zu pinned, %zu accused falsely; "
                "%zu different: %zu accepted, %zu told\n",
                set, f.wrong, f.found, f.named, f.pinned, f.accused_falsely, f.different, f.accepted, f.told);
    for (const std::string& missed : f.missed) std::printf("  %s\n", missed.c_str());
  }
}
