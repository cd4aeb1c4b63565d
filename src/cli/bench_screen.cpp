#include "cli/bench_screen.hpp"

#include "core/number.hpp"
#include "render/footer.hpp"
#include "render/table.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

using namespace bench;

namespace {

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string short_count(double count) {
  constexpr const char* units[] = {"", " k", " M", " G", " T", " P", " E"};
  std::size_t unit = 0;
  while (count >= 999.5 && unit + 1 < std::size(units)) count /= 1000, ++unit;
  return fmt::format("{:.3g}{}", count, units[unit]);
}

std::map<std::string, std::string> described(const BenchResult& one) {
  std::map<std::string, std::string> values{{"name", one.what.name}, {"flops", short_count(one.work.flops)}};
  const auto state = [&](const char* name, std::size_t value) { values[name] = std::to_string(value); };
  if (const auto* s = std::get_if<AttentionShape>(&one.what.shape)) {
    state("batch", s->batch), state("seq", s->seq), state("d", s->d_model), state("h", s->heads);
    state("V", s->vocab);
    return values;
  }
  const auto& s = std::get<ModelShape>(one.what.shape);
  state("batch", s.batch), state("src", s.src), state("tgt", s.tgt), state("d", s.config.d_model);
  state("f", s.config.d_ff), state("h", s.config.style.heads), state("N", s.config.layers);
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
  const auto column = [&](const char* key) { return paper.word(std::string("column.") + key).value_or(key); };
  const bool reads = std::ranges::any_of(run.results, [](const BenchResult& r) { return r.work.bytes > 0; });
  Table table{
      {column("median"), column("q1"), column("q3"), column("gflops"), column("peak"), column("tokens")},
      {},
      Table::Last::number};
  if (reads) table.headings.insert(table.headings.begin() + 5, column("reads"));
  for (const BenchResult& one : run.results) {
    if (!one.timing) continue;
    const Timing& t = *one.timing;
    std::vector<std::string> cells{format_seconds(t.median),
                                   format_seconds(t.q1),
                                   format_seconds(t.q3),
                                   fmt::format("{:.1f}", one.flops_per_second() / 1e9),
                                   percent(one.flops_per_second() / run.limits->flops),
                                   short_count(static_cast<double>(one.work.tokens) / t.median)};
    const double bandwidth = run.limits->bytes;
    if (reads)
      cells.insert(cells.begin() + 5, bandwidth > 0 ? percent(one.work.bytes / t.median / bandwidth) : "");
    table.rows.push_back({one.what.name, cells, 0, false});
  }
  return table;
}

} // namespace

void state_machine(Trace& trace, const Machine& machine, const std::optional<Limits>& limits) {
  trace.facts["cpu"] = machine.cpu.empty() ? "?" : machine.cpu;
  trace.facts["vectors"] = machine.vectors;
  trace.facts["threads"] = std::to_string(machine.threads);
  trace.facts["blas"] = machine.blas.empty() ? "?" : machine.blas;
  std::string overrides;
  for (const auto& [name, value] : machine.overrides)
    overrides += (overrides.empty() ? "" : " ") + name + "=" + value;
  if (!overrides.empty()) trace.facts["overrides"] = overrides;
  if (!limits) return;
  trace.facts["peak"] = short_count(limits->flops) + "FLOP/s";
  if (limits->bytes > 0) trace.facts["bandwidth"] = format_bytes(limits->bytes) + "/s";
}

void show_machine(Paper& paper) {
  for (const char* key : {"machine", "limit", "overrides"}) paper.paragraph(paper.word(key));
}

std::string render_cases(const BenchRun& run, const Screen& screen, const Words& words, const Style& style) {
  Trace trace;
  state_machine(trace, run.machine, run.limits);
  if (run.results.front().timing) trace.facts["runs"] = std::to_string(run.results.front().timing->runs);
  const bool decodes = run.results.front().what.what == What::decode;
  if (screen.with_time) trace.facts[decodes ? "by_memory" : "by_arithmetic"] = std::string();
  Paper paper(trace, words, style);
  write_title(paper, screen);
  show_machine(paper);
  for (const BenchResult& one : run.results) {
    auto values = described(one);
    paper.paragraph(paper.ui(shape_key(one), values));
  }
  const Table table = table_of(paper, run);
  if (!table.rows.empty()) {
    for (const std::string& line : table_lines(table, style)) paper.line(line);
    paper.line();
    write_looks(paper);
  }
  std::string name = paper.ui("check");
  for (const BenchResult& one : run.results) {
    const std::string sentence =
        paper.ui("agrees." + one.agreement.with, {{"name", one.what.name},
                                                  {"value", format_deviation(one.agreement.difference)},
                                                  {"bound", format_deviation(one.agreement.bound)}});
    paper.row(name, (one.agreement.holds() ? "✓ " : "✗ ") + sentence, true);
    name.clear();
  }
  paper.row(paper.ui("next"),
            (screen.next.empty() ? "" : "tfx " + screen.next + "    ") + std::string("tfx bench ladder"));
  return paper.take();
}

std::string render_tutorial(const BenchRun& run, const Screen& screen, const Words& words,
                            const Style& style) {
  Trace trace;
  state_machine(trace, run.machine, run.limits);
  Paper paper(trace, words, style);
  write_title(paper, screen);
  const Timing* const first = run.results.front().timing ? &*run.results.front().timing : nullptr;
  if (first) paper.paragraph(paper.ui("tutorial.intro", {{"runs", std::to_string(first->runs)}}));
  const auto field = [&](const char* key, const std::string& value) {
    paper.line(style.symbols(paper.ui(std::string("tutorial.") + key, {{"value", value}})));
  };
  std::size_t number = 0;
  for (const BenchResult& one : run.results) {
    const auto& s = std::get<AttentionShape>(one.what.shape);
    paper.line(style.bold(paper.ui(++number == 1 ? "tutorial.first" : "tutorial.second")));
    paper.line();
    paper.line(paper.ui("tutorial.head"));
    field("batch", std::to_string(s.batch)), field("seq", std::to_string(s.seq));
    field("vocab", std::to_string(s.vocab)), field("hidden", std::to_string(s.d_model));
    field("heads", std::to_string(s.heads));
    if (!one.timing) {
      paper.line();
      continue;
    }
    field("mean", fmt::format("{:.2f}ms", 1e3 * one.timing->mean));
    paper.line(style.dim(
        paper.ui("tutorial.more", {{"median", format_seconds(one.timing->median)},
                                   {"q1", format_seconds(one.timing->q1)},
                                   {"q3", format_seconds(one.timing->q3)},
                                   {"share", percent(one.flops_per_second() / run.limits->flops)}})));
    paper.line();
  }
  // The tutorial counts a table of 512 places, whatever the length it times.
  constexpr std::size_t vocab = 10'000, hidden = 256, places = 512;
  const std::pair<const char*, std::size_t> parameters[] = {{"token", vocab * hidden},
                                                            {"position", places * hidden},
                                                            {"qkv", 3 * hidden * hidden},
                                                            {"output", hidden * hidden}};
  paper.line(paper.ui("tutorial.parameters"));
  std::size_t total = 0;
  const auto count = [&](const char* key, std::size_t value) {
    field(key, fmt::format("{} ({:.2f}M)", with_separators(value), static_cast<double>(value) / 1e6));
  };
  for (const auto& [key, value] : parameters) count(key, value), total += value;
  count("total", total);
  paper.line();
  show_machine(paper);
  paper.row(paper.ui("look"), paper.ui("tutorial.look"));
  std::string name = paper.ui("check");
  for (const BenchResult& one : run.results) {
    paper.row(
        name,
        (one.agreement.holds() ? "✓ " : "✗ ") +
            paper.ui("agrees." + one.agreement.with, {{"name", one.what.name},
                                                      {"value", format_deviation(one.agreement.difference)},
                                                      {"bound", format_deviation(one.agreement.bound)}}),
        true);
    name.clear();
  }
  paper.row(paper.ui("next"), "tfx bench ladder");
  return paper.take();
}

} // namespace tfx
