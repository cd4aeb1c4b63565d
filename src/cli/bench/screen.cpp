#include "cli/bench/screen.hpp"

#include "core/number.hpp"
#include "render/footer.hpp"
#include "render/short_count.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

using namespace bench;

namespace {

std::map<std::string, std::string> described(const BenchResult& one) {
  std::map<std::string, std::string> values{{"name", one.what.name}, {"flops", short_count(one.work.flops)}};
  const auto state = [&](const char* name, std::size_t value) { values[name] = std::to_string(value); };
  if (const auto* s = std::get_if<AttentionShape>(&one.what.shape)) {
    state("batch", s->batch), state("seq", s->seq), state("d", s->d_model), state("h", s->heads);
    state("V", s->vocab);
    return values;
  }
  const auto& s = std::get<EncoderDecoderShape>(one.what.shape);
  state("batch", s.batch), state("src", s.src), state("tgt", s.tgt), state("d", s.config.d_model);
  state("f", s.config.d_ff), state("h", s.config.heads), state("N", s.config.layers);
  state("V", s.config.tgt_vocab);
  values["bytes"] = format_bytes(one.work.bytes / static_cast<double>(s.tgt));
  return values;
}

/// "shape.attention", or "shape.attention.all" where nothing is masked.
std::string shape_key(const BenchResult& one) {
  const auto* s = std::get_if<AttentionShape>(&one.what.shape);
  return "shape." + name_of(one.what.what) + (s && s->mask == Mask::none ? ".all" : "");
}

Table table_of(const Paper& paper, const BenchRun& run) {
  const auto column = [&](const char* key) { return paper.column(key); };
  const bool reads = std::ranges::any_of(run.results, [](const BenchResult& r) { return r.work.bytes > 0; });
  Table table{
      {column("median"), column("q1"), column("q3"), column("gflops"), column("peak"), column("tokens")},
      {},
      Table::Last::number};
  if (reads) table.headings.insert(table.headings.begin() + 5, column("reads"));
  for (const BenchResult& one : run.results) {
    if (!one.figure) continue;
    const Timing& t = one.figure->timing;
    std::vector<std::string> cells{format_seconds(t.median),
                                   format_seconds(t.q1),
                                   format_seconds(t.q3),
                                   fmt::format("{:.1f}", one.figure->flops_per_second(one.work) / 1e9),
                                   percent(one.figure->share_of_peak(one.work)),
                                   short_count(static_cast<double>(one.work.tokens) / t.median)};
    const double bandwidth = one.figure->limits.bytes;
    if (reads)
      cells.insert(cells.begin() + 5, bandwidth > 0 ? percent(one.work.bytes / t.median / bandwidth) : "");
    table.rows.push_back({one.what.name, cells, 0, false});
  }
  return table;
}

} // namespace

void state_machine(Trace& trace, const Machine& machine, const std::optional<MachineLimits>& limits) {
  trace.facts["cpu"] = machine.processor.empty() ? "?" : machine.processor;
  trace.facts["vectors"] = std::string(name(machine.isa));
  trace.facts["threads"] = std::to_string(machine.threads);
  trace.facts["blas"] = machine.blas.core.empty() ? "?" : machine.blas.core;
  std::string overrides;
  for (const auto& [name, value] : machine.environment)
    overrides += (overrides.empty() ? "" : " ") + name + "=" + value;
  if (!overrides.empty()) trace.facts["overrides"] = overrides;
  if (!limits) return;
  trace.facts["peak"] = short_count(limits->flops) + "FLOP/s";
  if (limits->bytes > 0) trace.facts["bandwidth"] = format_bytes(limits->bytes) + "/s";
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

void write_disturbed(Paper& paper, const std::vector<std::string>& names) {
  if (!names.empty()) paper.paragraph(paper.ui("disturbed", {{"names", listed(names)}}));
}

void write_agreements(Paper& paper, const BenchRun& run) {
  std::string name = paper.ui("check");
  for (const BenchResult& one : run.results) {
    const std::string sentence =
        paper.ui("agrees." + one.agreement.with,
                 {{"name", one.what.name}, {"value", format_deviation(one.agreement.difference)}});
    paper.row(name, (one.agreement.holds() ? "✓ " : "✗ ") + sentence, true);
    name.clear();
  }
}

void write_next(Paper& paper, const Screen& screen, const std::string& command) {
  paper.row(paper.ui("next"), (screen.next.empty() ? "" : "tfx " + screen.next + "    ") + command);
}

void show_machine(Paper& paper) {
  for (const char* key : {"machine", "limit", "overrides"}) paper.paragraph(paper.word(key));
}

std::string render_cases(const BenchRun& run, const Screen& screen, const Words& words, const Style& style) {
  Trace trace;
  state_machine(trace, run.machine, run.limits);
  if (const auto& figure = run.results.front().figure)
    trace.facts["runs"] = std::to_string(figure->timing.runs);
  const bool decodes = run.results.front().what.what == What::decode;
  if (screen.with_time) trace.facts[decodes ? "by_memory" : "by_arithmetic"] = std::string();
  Paper paper(trace, words, style);
  write_title(paper, screen);
  show_machine(paper);
  for (const BenchResult& one : run.results) paper.paragraph(paper.ui(shape_key(one), described(one)));
  const Table table = table_of(paper, run);
  if (!table.rows.empty()) {
    paper.table(table);
    write_disturbed(paper, run.disturbed());
    write_looks(paper);
  }
  write_agreements(paper, run);
  write_next(paper, screen, "tfx bench ladder");
  return paper.take();
}

} // namespace tfx
