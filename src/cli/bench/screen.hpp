#pragma once
// The figures of a run of `tfx bench`, and the screens of them: beside the machine's limits, as the ladder,
// and as the tutorial's attention. The JSON of the same figures is written in command.cpp.

#include "bench/case.hpp"
#include "bench/ladder.hpp"
#include "bench/limits.hpp"
#include "bench/work.hpp"
#include "core/machine.hpp"
#include "render/paper.hpp"
#include "render/terminal.hpp"
#include "text/words.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

/// One piece of work, compared and then perhaps timed.
struct BenchResult {
  bench::WorkPreset what;
  bench::Work work;
  bench::Agreement agreement;
  std::optional<bench::Figure> figure; ///< none where it disagrees, or nobody asked
};

struct BenchRun {
  Machine machine;
  std::optional<bench::MachineLimits> limits; ///< the highest of the run; none where nothing is timed
  std::vector<BenchResult> results;

  std::vector<std::string> disturbed() const {
    std::vector<std::string> names;
    for (const BenchResult& one : results)
      if (one.figure && one.figure->disturbed) names.push_back(one.what.name);
    return names;
  }

  /// Whether everything that was compared does.
  bool agrees() const {
    return std::ranges::all_of(results, [](const BenchResult& one) { return one.agreement.holds(); });
  }
};

struct LadderRun {
  Machine machine;
  std::optional<bench::MachineLimits> limits;
  bench::AttentionShape shape;
  bench::Work work;
  std::vector<bench::Climbed> rungs;
  std::vector<bench::Grown> growth; ///< empty where nothing is timed

  /// Every rung, those of the growth behind them.
  std::vector<const bench::Climbed*> climbed() const {
    std::vector<const bench::Climbed*> all;
    for (const bench::Climbed& one : rungs) all.push_back(&one);
    for (const bench::Grown& one : growth) all.insert(all.end(), {&one.whole, &one.fused});
    return all;
  }

  std::vector<std::string> disturbed() const {
    std::vector<std::string> names;
    const auto add = [&](const bench::Climbed& one, const std::string& where) {
      if (one.figure && one.figure->disturbed) names.push_back(one.id + where);
    };
    for (const bench::Climbed& one : rungs) add(one, "");
    for (const bench::Grown& one : growth)
      for (const bench::Climbed* way : {&one.whole, &one.fused}) add(*way, " n=" + std::to_string(one.n));
    return names;
  }

  bool agrees() const {
    return std::ranges::all_of(climbed(), [](const bench::Climbed* one) { return one->equal; });
  }
};

std::string render_cases(const BenchRun& run, const Screen& screen, const Words& words, const Style& style);
std::string render_ladder(const LadderRun& run, const Screen& screen, const Words& words, const Style& style);

/// The printout of the tutorial attention-block, field by field, with our figures.
std::string render_tutorial(const BenchRun& run, const Screen& screen, const Words& words,
                            const Style& style);

/// What the screens share: the machine and its limits, first as facts, then as paragraphs.
void state_machine(Trace& trace, const Machine& machine, const std::optional<bench::MachineLimits>& limits);
void show_machine(Paper& paper);

/// Says of which figures no try was undisturbed.
void write_disturbed(Paper& paper, const std::vector<std::string>& names);

/// What each result was compared with.
void write_agreements(Paper& paper, const BenchRun& run);

/// Where to go on: the next lesson, and a command of this one.
void write_next(Paper& paper, const Screen& screen, const std::string& command);

/// 0.123 → "12.3 %".
std::string percent(double share);

std::string bench_json(const BenchRun& run);
std::string ladder_json(const LadderRun& run);

} // namespace tfx
