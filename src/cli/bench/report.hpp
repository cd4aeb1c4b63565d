#pragma once
// The figures of a run of `tfx bench`, and its Report: beside the machine's limits, as the ladder, and as the
// tutorial's attention.

#include "bench/case.hpp"
#include "bench/ladder.hpp"
#include "bench/limits.hpp"
#include "bench/work.hpp"
#include "core/machine.hpp"
#include "render/report.hpp"

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

/// What was timed, beside the machine's limits.
Report cases_report(const BenchRun& run);

/// The printout of the tutorial attention-block, field by field, with our figures.
Report tutorial_report(const BenchRun& run);

Report ladder_report(const LadderRun& run);

/// What all reports of bench begin with: their frame, and the machine and its limits, in JSON and as facts.
/// Without limits nothing is timed.
Report machine_report(const Machine& machine, const std::optional<bench::MachineLimits>& limits);

/// The same in sentences.
void say_machine(Report& report);

/// Says of which figures no try was undisturbed.
void say_disturbed(Report& report, const std::vector<std::string>& names);

/// The time, the shares of the limits that were measured around it, and whether these held still: members of
/// a result.
void add_figure(Object& result, const bench::Work& work, const std::optional<bench::Figure>& figure);
/// Its sizes under the names of the options.
std::vector<Member> shape_members(const std::variant<bench::AttentionShape, bench::TransformerShape>& shape);

/// The member "checks" of a JSON document, a row each; on a page rows behind their marks.
class CheckRows {
public:
  void add(const std::string& name, bool pass, double value, Sentence said);
  /// In the document alone.
  void add_unsaid(const std::string& name, bool pass, double value);
  void into(Report& report);

private:
  ReportTable table_{.name = "checks", .columns = {"name", "pass", "value"}, .shown = {}};
  std::vector<Row> rows_;
};

} // namespace tfx
