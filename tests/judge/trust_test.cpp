// How far the diagnosis can be trusted: measured by hand-ins that the catalogue was not made of
// (data/reference/diagnosis). The figures stand in docs/teaching.md.

#include "core/number.hpp"
#include "io/file.hpp"
#include "support/catch.hpp"
#include "support/handed_in.hpp"
#include "text/names.hpp"

#include <cstdio>

using namespace tfx;

namespace {

// The line of the table: "| first | 308 | 308 | …".
std::string row_of(const std::string& set, const Figures& f) {
  std::vector<std::string> cells{set};
  for (const std::size_t number :
       {f.wrong, f.found, f.named, f.sure, f.pinned, f.accused_falsely, f.different, f.accepted, f.told})
    cells.push_back(std::to_string(number));
  return "| " + join(cells, " | ") + " |";
}

} // namespace

TEST_CASE("check finds what is wrong, says what was done, accuses nobody falsely: the figures of the note",
          "[judge][check][repeats]") {
  for (const auto& [set, share] : {std::pair("first", 95), {"second", 85}, {"third", 80}, {"fourth", 75}}) {
    const Figures f = figures_of(set);
    INFO(set << "\n" << join(f.missed, "\n"));
    CHECK(f.found == f.wrong);
    CHECK(f.accused_falsely == 0);
    CHECK(100 * (f.named + f.pinned) >= static_cast<std::size_t>(share) * f.wrong);
    CHECK(f.accepted + f.told == f.different);
    for (const char* note : {"teaching.md", "teaching.zh.md"}) {
      INFO(note << ": " << row_of(set, f));
      CHECK(read_file(TFX_SOURCE_DIR "/docs/" + std::string(note)).find(row_of(set, f)) != std::string::npos);
    }
  }
}

TEST_CASE("what check says of the hand-ins that it does not know, to be read", "[.hand_ins]") {
  for (const char* set : {"first", "second", "third", "fourth"}) {
    const Figures f = figures_of(set);
    std::printf("%s\n", row_of(set, f).c_str());
    for (const std::string& missed : f.missed) std::printf("  %s\n", missed.c_str());
  }
}
