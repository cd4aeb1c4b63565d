#include "cli/bench/report.hpp"

#include "core/number.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tfx {

using namespace bench;

namespace {

Object members_of(const BenchResult& one) {
  Object row{{{"name", one.what.name}, {"work", name_of(one.what.what)}}};
  for (const Member& member : shape_members(one.what.shape)) row.members.push_back(member);
  if (const auto* attention = std::get_if<AttentionShape>(&one.what.shape))
    row.members.push_back({"vocab", Count{attention->vocab}});
  row.members.push_back({"flops", one.work.flops});
  add_figure(row, one.work, one.figure);
  return row;
}

/// What each result was compared with.
void add_agreements(Report& report, const BenchRun& run) {
  CheckRows checks;
  for (const BenchResult& one : run.results) {
    const Agreement& agreement = one.agreement;
    checks.add(one.what.name + "." + agreement.with, agreement.holds(), agreement.difference,
               {"ui.agrees." + agreement.with,
                {{"name", one.what.name}, {"value", format_deviation(agreement.difference)}}});
  }
  checks.into(report);
  report.status = run.agrees() ? 0 : 1;
}

void add_results(Report& report, const BenchRun& run) {
  Objects results;
  for (const BenchResult& one : run.results) results.push_back(members_of(one));
  report.add("results", std::move(results));
}

Values described(const BenchResult& one) {
  Values values{{"name", one.what.name}, {"flops", short_count(one.work.flops)}};
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

/// "ui.shape.attention", or "ui.shape.attention.all" where nothing is masked; "ui.shape.model", or
/// "ui.shape.model.decoder" of a decoder alone.
std::string shape_key(const BenchResult& one) {
  const auto* s = std::get_if<AttentionShape>(&one.what.shape);
  return "ui.shape." + name_of(one.what.what) + (s && s->mask == Mask::none ? ".all" : "") +
         (family_of(one.what) == Stacks::decoder ? ".decoder" : "");
}

ReportTable figures_table(const BenchRun& run) {
  const bool reads = std::ranges::any_of(run.results, [](const BenchResult& r) { return r.work.bytes > 0; });
  ReportTable table{.name = "",
                    .columns = {"name", "median", "q1", "q3", "gflops", "peak", "reads", "tokens"},
                    .shown = {"name", "median", "q1", "q3", "gflops", "peak", "tokens"}};
  if (reads) table.shown = table.columns;
  for (const BenchResult& one : run.results) {
    if (!one.figure) continue;
    const Timing& t = one.figure->timing;
    const double bandwidth = one.figure->limits.bytes;
    table.rows.push_back(
        {one.what.name, Seconds{t.median}, Seconds{t.q1}, Seconds{t.q3},
         Rounded{one.figure->flops_per_second(one.work) / 1e9, 1}, Share{one.figure->share_of_peak(one.work)},
         bandwidth > 0 ? Cell(Share{one.work.bytes / t.median / bandwidth}) : Cell(std::string()),
         short_count(static_cast<double>(one.work.tokens) / t.median)});
  }
  return table;
}

/// What is said of the work by what limits it.
const char* look_at(const WorkPreset& what) {
  const auto* model = std::get_if<TransformerShape>(&what.shape);
  if (what.what != What::decode) return "look.by_arithmetic";
  return model && model->prompt > 1 ? "look.by_both" : "look.by_memory";
}

} // namespace

Report cases_report(const BenchRun& run) {
  Report report = machine_report(run.machine, run.limits);
  say_machine(report);
  add_results(report, run);
  for (const BenchResult& one : run.results) report.say(shape_key(one), described(one));
  const BenchResult& first = run.results.front();
  if (ReportTable table = figures_table(run); !table.rows.empty()) {
    if (first.figure) report.trace.facts["runs"] = std::to_string(first.figure->timing.runs);
    report.add(std::move(table));
    say_disturbed(report, run.disturbed());
    report.add(Row{"look", Sentence{look_at(first.what)}}), report.add(Row{"", Sentence{"look.runs"}});
  }
  add_agreements(report, run);
  return report;
}

// The printout of the tutorial attention-block: benchmark_forward_pass and count_parameters, in its words and
// its order. What it does not print stands in lines of ours.

namespace {

class Printout {
public:
  Printout(const Style& style, const Words& words) : paper_(none_, words, style) {}

  void heading(const std::string& key) { lines_.push_back(text(key)); }
  void blank() { lines_.emplace_back(); }

  void field(const std::string& key, const std::string& value) {
    lines_.push_back(text(key, {{"value", value}}));
  }
  void field(const std::string& key, std::size_t value) { field(key, std::to_string(value)); }

  void ours(const std::string& key, const std::map<std::string, std::string>& values) {
    lines_.push_back(paper_.style().dim(text(key, values)));
  }

  std::vector<std::string> take() { return std::move(lines_); }

private:
  std::string text(const std::string& key, const std::map<std::string, std::string>& values = {}) const {
    return paper_.style().symbols(paper_.ui("tutorial." + key, values));
  }

  Trace none_;
  Paper paper_;
  std::vector<std::string> lines_;
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

Report tutorial_report(const BenchRun& run) {
  Report report = machine_report(run.machine, run.limits);
  report.say("ui.tutorial.intro");
  add_results(report, run);
  report.add(
      Drawing{[results = run.results, folder = report.frame.folder](const Style& style, Language language) {
        const Words words = words_in(folder, language);
        Printout out(style, words);
        for (std::size_t i = 0; i < results.size(); ++i) {
          out.heading("configuration." + std::to_string(i + 1));
          out.blank(), print_times(out, results[i]), out.blank();
        }
        print_parameters(out, std::get<AttentionShape>(results.front().what.shape));
        return out.take();
      }});
  say_machine(report);
  say_disturbed(report, run.disturbed());
  report.add(Row{"look", Sentence{"ui.tutorial.look"}});
  add_agreements(report, run);
  return report;
}

} // namespace tfx
