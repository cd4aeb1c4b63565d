#include "cli/bench/report.hpp"

#include "support/catch.hpp"
#include "words/in_words.hpp"

using namespace tfx;
using namespace tfx::bench;

namespace {

/// 1e9 FLOP and 2e8 bytes in half a second, on a machine of 4e9 FLOP and 8e8 bytes a second.
BenchRun by_hand() {
  const Figure figure{Timing{0.5, 0.25, 0.75, 0.6, 3}, {4e9, 8e8}, 2, true};
  BenchRun run;
  run.limits = figure.limits;
  run.results.push_back({*find_preset("A1"), {1e9, 2e8, 100}, {"page", 1e-7, 1e-4}, figure});
  run.results.push_back({*find_preset("A2"), {1e9, 0, 100}, {"page", 0.5, 1e-4}, {}});
  return run;
}

void requires_all(const std::string& text, const std::vector<std::string>& wanted) {
  for (const std::string& one : wanted) {
    INFO(text << "\nlacks: " << one);
    CHECK(text.find(one) != std::string::npos);
  }
}

} // namespace

TEST_CASE("a figure is held against the limits, and what differs is said and not timed", "[bench][report]") {
  const Report report = cases_report(by_hand());
  const Words words = words_in(report.frame.folder);
  CHECK(report.status == 1);
  requires_all(
      render_json(report, words),
      {R"("fma_gflops":4.0,"read_gb_per_second":0.8)",
       R"("milliseconds":{"median":500.0,"q1":250.0,"q3":750.0,"mean":600.0,"runs":3},"gflops":2.0,)"
       R"("share_of_peak":0.5,"tokens_per_second":200.0,"bytes":200000000.0,"share_of_bandwidth":0.5,)"
       R"("peak_gflops":4.0,"tries":2,"disturbed":true})",
       R"("milliseconds":null,"gflops":null,"share_of_peak":null,"tokens_per_second":null})",
       R"({"name":"A1.page","pass":true,"value":1e-07},{"name":"A2.page","pass":false,"value":0.5})"});
  requires_all(render_screen(report, words, Style()),
               {"A1  500.0 ms  250.0 ms  750.0 ms      2.0   50.0 %    50.0 %       200\n", "Disturbed: A1.",
                "check    ✓ A1", "         ✗ A2"});
}

TEST_CASE("a rung is so many times as fast as the first and as the one before", "[bench][report]") {
  const auto climbed = [](const char* id, double seconds) {
    return Climbed{id, 1e-7, true, Figure{Timing{seconds, seconds, seconds, seconds, 3}, {4e9, 0}, 1, false},
                   1,  0};
  };
  LadderRun run;
  run.shape = AttentionShape{1, 4, 4, 1, 1, Mask::causal}, run.work = {1e9, 0, 4};
  run.limits = MachineLimits{4e9, 0};
  run.rungs = {climbed("loops", 8), climbed("page", 2), climbed("qkv", 0.5)};
  run.rungs.push_back({"heads", 0.5, false, {}, 1, 0}); // it gave something else
  const Report report = ladder_report(run);
  const Words words = words_in(report.frame.folder);
  CHECK(report.status == 1);
  requires_all(render_screen(report, words, Style()),
               {"1  loops    8.00 s      0.1    3.1 %     1.00            < 1 MB\n",
                "2  page     2.00 s      0.5   12.5 %     4.00      4.00  < 1 MB\n",
                "3  qkv    500.0 ms      2.0   50.0 %       16      4.00  < 1 MB\n", "4  heads   differs",
                "\n\nlook ", "✗ heads differs from loops by 0.5"});
  requires_all(render_json(report, words),
               {R"({"name":"loops","pass":true,"value":1e-07})",
                R"({"name":"heads","pass":false,"value":0.5})",
                R"("shape": {"batch":1,"seq":4,"d_model":4,"heads":1,"causal":true,"flops":1000000000.0})"});
}
