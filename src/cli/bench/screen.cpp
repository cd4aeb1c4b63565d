#include "cli/bench/screen.hpp"

#include "bench/case.hpp"
#include "core/number.hpp"
#include "render/charts.hpp"
#include "render/footer.hpp"
#include "render/style.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>

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

// The printout of the tutorial attention-block: benchmark_forward_pass and count_parameters, in its words and
// its order. What it does not print stands in lines of ours.

namespace {

class Printout {
public:
  explicit Printout(Paper& paper) : paper_(paper) {}

  void heading(const std::string& key) { paper_.line(text(key)); }

  void field(const std::string& key, const std::string& value) { paper_.line(text(key, {{"value", value}})); }
  void field(const std::string& key, std::size_t value) { field(key, std::to_string(value)); }

  void ours(const std::string& key, const std::map<std::string, std::string>& values) {
    paper_.line(paper_.style().dim(text(key, values)));
  }

private:
  std::string text(const std::string& key, const std::map<std::string, std::string>& values = {}) const {
    return paper_.style().symbols(paper_.ui("tutorial." + key, values));
  }

  Paper& paper_;
};

void print_times(Printout& out, const BenchResult& one) {
  const auto& shape = std::get<AttentionShape>(one.what.shape);
  out.heading("head");
  out.field("batch", shape.batch), out.field("seq", shape.seq), out.field("vocab", shape.vocab);
  out.field("hidden", shape.d_model), out.field("heads", shape.heads);
  if (!one.figure) return; // it gave something else
  const Timing& timing = one.figure->timing;
  out.field("mean", fmt::format("{:.2f}ms", 1e3 * timing.mean));
  out.ours("more", {{"median", format_seconds(timing.median)},
                    {"q1", format_seconds(timing.q1)},
                    {"q3", format_seconds(timing.q3)},
                    {"share", percent(one.figure->share_of_peak(one.work))}});
}

/// Of the shape that is timed; the tutorial's table of positions has 512 places, however many are read.
void print_parameters(Printout& out, const AttentionShape& shape) {
  constexpr std::size_t places = 512;
  const std::size_t d = shape.d_model, token = shape.vocab * d, position = places * d, qkv = 3 * d * d,
                    output = d * d;
  const auto count = [&](const char* key, std::size_t value) {
    out.field(key, fmt::format("{} ({:.2f}M)", with_separators(value), static_cast<double>(value) / 1e6));
  };
  out.heading("parameters");
  count("token", token), count("position", position), count("qkv", qkv), count("output", output);
  count("total", token + position + qkv + output);
}

} // namespace

std::string render_tutorial(const BenchRun& run, const Screen& screen, const Words& words,
                            const Style& style) {
  Trace trace;
  state_machine(trace, run.machine, run.limits);
  Paper paper(trace, words, style);
  write_title(paper, screen);
  paper.paragraph(paper.ui("tutorial.intro"));
  Printout out(paper);
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    out.heading("configuration." + std::to_string(i + 1));
    paper.line();
    print_times(out, run.results[i]);
    paper.line();
  }
  print_parameters(out, std::get<AttentionShape>(run.results.front().what.shape));
  paper.line();
  show_machine(paper);
  write_disturbed(paper, run.disturbed());
  paper.row(paper.ui("look"), paper.ui("tutorial.look"));
  write_agreements(paper, run);
  write_next(paper, screen, "tfx bench ladder");
  return paper.take();
}

namespace {

std::map<std::string, std::string> described(const BenchResult& one) {
  std::map<std::string, std::string> values{{"name", one.what.name}, {"flops", short_count(one.work.flops)}};
  const auto state = [&](const char* name, std::size_t value) { values[name] = std::to_string(value); };
  if (const auto* s = std::get_if<AttentionShape>(&one.what.shape)) {
    state("batch", s->batch), state("seq", s->seq), state("d", s->d_model), state("h", s->heads);
    state("V", s->vocab);
    return values;
  }
  const auto& s = std::get<TransformerShape>(one.what.shape);
  state("batch", s.batch), state("src", s.src), state("prompt", s.prompt), state("tgt", s.tgt);
  state("d", s.spec.d_model);
  state("f", s.spec.d_ff), state("h", s.spec.heads), state("N", s.spec.layers);
  state("V", s.spec.tgt_vocab);
  values["bytes"] = format_bytes(one.work.bytes / static_cast<double>(s.tgt));
  return values;
}

/// "shape.attention", or "shape.attention.all" where nothing is masked; "shape.model", or
/// "shape.model.decoder" of a decoder alone.
std::string shape_key(const BenchResult& one) {
  const auto* s = std::get_if<AttentionShape>(&one.what.shape);
  return "shape." + name_of(one.what.what) + (s && s->mask == Mask::none ? ".all" : "") +
         (family_of(one.what) == Stacks::decoder ? ".decoder" : "");
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
  const WorkPreset& first = run.results.front().what;
  const auto* model = std::get_if<TransformerShape>(&first.shape);
  const char* limit = first.what != What::decode   ? "by_arithmetic"
                      : model && model->prompt > 1 ? "by_both"
                                                   : "by_memory";
  if (screen.with_time) trace.facts[limit] = std::string();
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
