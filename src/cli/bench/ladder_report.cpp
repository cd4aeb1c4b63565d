#include "cli/bench/report.hpp"

#include "bench/case.hpp"
#include "core/number.hpp"
#include "render/charts.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

namespace tfx {

using namespace bench;

namespace {

std::string times(double ratio) {
  return fmt::format("{:.{}f}", ratio, ratio < 10 ? 2 : 0);
}

/// What a rung took beyond what was there; small amounts are memory pages that Linux deals out in bundles.
std::string memory_text(std::size_t bytes) {
  constexpr std::size_t min_shown = 1'000'000;
  return bytes < min_shown ? "< " + format_bytes(min_shown) : format_bytes(static_cast<double>(bytes));
}

ReportTable rungs_table(const LadderRun& run) {
  ReportTable table{.name = "",
                    .columns = {"name", "median", "gflops", "peak", "first", "before", "memory"},
                    .shown = {},
                    .numbered = true};
  table.shown = table.columns;
  const std::string nothing;
  const Timing* first = nullptr;
  const Timing* before = nullptr;
  for (const Climbed& one : run.rungs) {
    if (!one.figure) {
      table.rows.push_back({one.id, Sentence{"column.differs"}, nothing, nothing, nothing, nothing, nothing});
      continue;
    }
    const Figure& figure = *one.figure;
    const double seconds = figure.timing.median;
    if (!first) first = &figure.timing;
    table.rows.push_back({one.id, Seconds{seconds}, Rounded{figure.flops_per_second(run.work) / 1e9, 1},
                          Share{figure.share_of_peak(run.work)}, times(first->median / seconds),
                          before ? times(before->median / seconds) : nothing, memory_text(one.memory)});
    before = &figure.timing;
  }
  return table;
}

/// Time and memory of both ways, in bars whose lengths are logarithms.
Drawing growth_drawing(const std::vector<Grown>& growth, const std::string& folder) {
  return {[growth, folder](const Style& style, Language language) {
    const Words words = words_in(folder, language);
    const Trace none;
    const Paper paper(none, words, style);
    std::vector<Bar> time, memory;
    const std::string whole = paper.ui("growth.whole"), fused = paper.ui("growth.fused");
    for (const Grown& one : growth)
      for (const auto& [name, climbed] : {std::pair(&whole, &one.whole), std::pair(&fused, &one.fused)}) {
        const std::string n = name == &whole ? fmt::format("n = {:<5}", one.n) : std::string(9, ' ');
        const double seconds = climbed->figure ? climbed->figure->timing.median : 0;
        time.push_back({n + " " + *name, seconds, climbed->figure ? format_seconds(seconds) : "✗"});
        memory.push_back(
            {n + " " + *name, static_cast<double>(climbed->memory), memory_text(climbed->memory)});
      }
    std::vector<std::string> lines;
    for (const auto& [key, list] : {std::pair("growth.time", &time), std::pair("growth.memory", &memory)}) {
      if (!lines.empty()) lines.emplace_back();
      lines.push_back(style.bold(paper.ui(key)));
      for (const std::string& line : bars(*list, style)) lines.push_back(line);
    }
    return lines;
  }};
}

void state_block(Trace& trace, const LadderRun& run) {
  const AttentionShape& s = run.shape;
  const auto state = [&](const char* name, std::size_t value) { trace.facts[name] = std::to_string(value); };
  state("batch", s.batch), state("seq", s.seq), state("d", s.d_model), state("h", s.heads);
  state("d_k", s.d_model / s.heads);
  trace.facts[s.mask == Mask::causal ? "causal" : "all"] = std::string(); // picks sentences
  trace.facts["flops"] = short_count(run.work.flops) + "FLOP";
  trace.facts["bound"] = format_deviation(rounding_bound);
}

Object members_of(const Climbed& one, const bench::Work& work) {
  Object row{{{"name", one.id}, {"threads", Count{one.threads}}, {"memory_bytes", Count{one.memory}}}};
  add_figure(row, work, one.figure);
  return row;
}

/// The block, its rungs, and how they grow, for a JSON document.
void add_members(Report& report, const LadderRun& run) {
  Object shape{shape_members(run.shape)};
  shape.members.push_back({"flops", run.work.flops});
  Objects rungs, growth;
  for (const Climbed& one : run.rungs) rungs.push_back(members_of(one, run.work));
  for (const Grown& one : run.growth) {
    const bench::Work work =
        attention_work({1, one.n, run.shape.d_model / run.shape.heads, 1, 1, Mask::causal});
    growth.push_back({{{"seq", Count{one.n}},
                       {"whole", members_of(one.whole, work)},
                       {"fused", members_of(one.fused, work)}}});
  }
  report.add("shape", std::move(shape));
  report.add("results", std::move(rungs)), report.add("growth", std::move(growth));
}

void add_rung_checks(Report& report, const LadderRun& run) {
  CheckRows checks;
  const auto said = [](const std::string& rung, const std::string& with, const Climbed& one) {
    return Sentence{one.equal ? "ui.rung.equal" : "ui.rung.differs",
                    {{"rung", rung}, {"first", with}, {"value", format_deviation(one.difference)}}};
  };
  const Climbed& first = run.rungs.front();
  checks.add_unsaid(first.id, first.equal, first.difference); // it is what the others equal
  for (std::size_t i = 1; i < run.rungs.size(); ++i) {
    const Climbed& one = run.rungs[i];
    checks.add(one.id, one.equal, one.difference, said(one.id, first.id, one));
  }
  for (const Grown& one : run.growth) {
    const std::string name = fmt::format("fused, n = {}", one.n);
    if (one.fused.equal)
      checks.add_unsaid(name, true, one.fused.difference);
    else
      checks.add(name, false, one.fused.difference, said(name, "heads", one.fused));
  }
  checks.into(report);
  report.status = run.agrees() ? 0 : 1;
}

} // namespace

Report ladder_report(const LadderRun& run) {
  Report report = machine_report(run.machine, run.limits);
  state_block(report.trace, run);
  say_machine(report);
  report.say("block");
  add_members(report, run);
  if (run.limits) report.add(rungs_table(run));
  say_disturbed(report, run.disturbed());
  for (const Climbed& one : run.rungs)
    for (const std::string ending : {"", ".causal", ".all"})
      report.add(Row{one.id, Sentence{"rung." + one.id + ending}});
  if (!run.growth.empty()) {
    report.say("growth");
    report.add(growth_drawing(run.growth, report.frame.folder));
  }
  report.add(Row{"look", Sentence{"look.ladder"}, {}, true});
  add_rung_checks(report, run);
  report.next.back() = "bench ladder --quick";
  return report;
}

} // namespace tfx
