#include "bench/case.hpp"
#include "cli/bench/screen.hpp"
#include "core/number.hpp"
#include "render/bars.hpp"
#include "render/footer.hpp"
#include "render/short_count.hpp"

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

Table rungs_table(const Paper& paper, const LadderRun& run) {
  const auto column = [&](const char* key) { return paper.column(key); };
  Table table{{column("median"), column("gflops"), column("peak"), column("first"), column("before"),
               column("memory")},
              {},
              Table::Last::number};
  const Timing* first = nullptr;
  const Timing* before = nullptr;
  std::size_t number = 0;
  for (const Climbed& one : run.rungs) {
    const std::string name = std::to_string(++number) + " " + one.id;
    if (!one.figure) {
      table.rows.push_back({name, {column("differs"), "", "", "", "", ""}, 0, false});
      continue;
    }
    const Figure& figure = *one.figure;
    const double seconds = figure.timing.median;
    if (!first) first = &figure.timing;
    table.rows.push_back(
        {name,
         {format_seconds(seconds), fmt::format("{:.1f}", figure.flops_per_second(run.work) / 1e9),
          percent(figure.share_of_peak(run.work)), times(first->median / seconds),
          before ? times(before->median / seconds) : "", memory_text(one.memory)},
         0,
         false});
    before = &figure.timing;
  }
  return table;
}

void write_growth(Paper& paper, const LadderRun& run) {
  std::vector<Bar> time, memory;
  const std::string whole = paper.ui("whole"), fused = paper.ui("fused");
  for (const Grown& one : run.growth)
    for (const auto& [name, climbed] : {std::pair(&whole, &one.whole), std::pair(&fused, &one.fused)}) {
      const std::string n = name == &whole ? fmt::format("n = {:<5}", one.n) : std::string(9, ' ');
      const double seconds = climbed->figure ? climbed->figure->timing.median : 0;
      time.push_back({n + " " + *name, seconds, climbed->figure ? format_seconds(seconds) : "✗"});
      memory.push_back({n + " " + *name, static_cast<double>(climbed->memory), memory_text(climbed->memory)});
    }
  if (time.empty()) return;
  paper.paragraph(paper.word("growth"));
  for (const auto& [key, list] : {std::pair("growth.time", &time), std::pair("growth.memory", &memory)}) {
    paper.line(paper.style().bold(paper.ui(key)));
    for (const std::string& line : bars(*list, paper.style())) paper.line(line);
    paper.line();
  }
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

void write_checks(Paper& paper, const LadderRun& run) {
  std::string name = paper.ui("check");
  const auto compared = [&](const std::string& rung, const std::string& with, const Climbed& one) {
    paper.row(name,
              (one.equal ? "✓ " : "✗ ") +
                  paper.ui(one.equal ? "rung.equal" : "rung.differs",
                           {{"rung", rung}, {"first", with}, {"value", format_deviation(one.difference)}}),
              true);
    name.clear();
  };
  for (std::size_t i = 1; i < run.rungs.size(); ++i) compared(run.rungs[i].id, run.rungs[0].id, run.rungs[i]);
  for (const Grown& one : run.growth)
    if (!one.fused.equal) compared(fmt::format("fused, n = {}", one.n), "heads", one.fused);
}

} // namespace

std::string render_ladder(const LadderRun& run, const Screen& screen, const Words& words,
                          const Style& style) {
  Trace trace;
  state_machine(trace, run.machine, run.limits);
  state_block(trace, run);
  Paper paper(trace, words, style);
  write_title(paper, screen);
  show_machine(paper);
  paper.paragraph(paper.word("block"));
  if (run.limits) paper.table(rungs_table(paper, run));
  write_disturbed(paper, run.disturbed());
  for (const Climbed& one : run.rungs)
    for (const std::string ending : {"", ".causal", ".all"})
      if (const auto text = paper.word("rung." + one.id + ending)) paper.row(one.id, *text);
  paper.line();
  write_growth(paper, run);
  if (const auto text = paper.word("look.ladder")) paper.row(paper.ui("look"), *text);
  write_checks(paper, run);
  write_next(paper, screen, "tfx bench ladder --quick");
  return paper.take();
}

} // namespace tfx
