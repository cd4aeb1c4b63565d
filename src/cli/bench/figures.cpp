#include "cli/bench/report.hpp"

#include "cli/lesson/screen.hpp"
#include "core/number.hpp"
#include "text/names.hpp"

namespace tfx {

using namespace bench;

namespace {

/// None where there is nothing to divide by.
Cell quotient(double above, double below) {
  return below > 0 ? Cell(above / below) : Cell(None());
}

Cell times_of(const std::optional<Figure>& figure) {
  if (!figure) return None();
  const Timing& t = figure->timing;
  return Object{{{"median", 1e3 * t.median},
                 {"q1", 1e3 * t.q1},
                 {"q3", 1e3 * t.q3},
                 {"mean", 1e3 * t.mean},
                 {"runs", Count{t.runs}}}};
}

} // namespace

void add_figure(Object& row, const bench::Work& work, const std::optional<Figure>& figure) {
  const auto add = [&](const char* name, Cell cell) { row.members.push_back({name, std::move(cell)}); };
  const double seconds = figure ? figure->timing.median : 0;
  const MachineLimits limits = figure ? figure->limits : MachineLimits();
  add("milliseconds", times_of(figure));
  add("gflops", quotient(work.flops / 1e9, seconds));
  add("share_of_peak", quotient(work.flops, limits.flops * seconds));
  add("tokens_per_second", quotient(static_cast<double>(work.tokens), seconds));
  if (work.bytes > 0) {
    add("bytes", work.bytes);
    add("share_of_bandwidth", quotient(work.bytes, limits.bytes * seconds));
  }
  if (!figure) return;
  add("peak_gflops", limits.flops / 1e9);
  add("tries", Count{figure->tries}), add("disturbed", figure->disturbed);
}

namespace {

std::vector<Member> sizes_of(const AttentionShape& s) {
  return {{"batch", Count{s.batch}},
          {"seq", Count{s.seq}},
          {"d_model", Count{s.d_model}},
          {"heads", Count{s.heads}},
          {"causal", s.mask == Mask::causal}};
}

std::vector<Member> sizes_of(const TransformerShape& s) {
  std::vector<Member> members{{"family", word_of(families(), s.spec.stacks)}, {"batch", Count{s.batch}}};
  if (s.spec.has_encoder()) members.push_back({"seq", Count{s.src}});
  if (s.prompt > 1) members.push_back({"prompt", Count{s.prompt}});
  for (const auto& [name, value] : {std::pair("tgt_seq", s.tgt), std::pair("d_model", s.spec.d_model),
                                    std::pair("heads", s.spec.heads), std::pair("layers", s.spec.layers),
                                    std::pair("d_ff", s.spec.d_ff), std::pair("vocab", s.spec.tgt_vocab)})
    members.push_back({name, Count{value}});
  return members;
}

} // namespace

std::vector<Member> shape_members(const std::variant<AttentionShape, TransformerShape>& shape) {
  return std::visit([](const auto& one) { return sizes_of(one); }, shape);
}

void say_disturbed(Report& report, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::vector<Sentence> figures;
  for (const std::string& name : names) figures.push_back({"figure", {{"figure", name}}});
  report.parts.emplace_back(
      Sentence{"ui.disturbed", {}, {{"names", list_of("figure.list", std::move(figures))}}});
}

Report machine_report(const Machine& machine, const std::optional<MachineLimits>& limits) {
  Report report{frame_of("bench"), {}};
  report.frame.with_time = limits.has_value();
  auto& facts = report.trace.facts;
  facts["cpu"] = machine.processor.empty() ? "?" : machine.processor;
  facts["vectors"] = std::string(name(machine.isa));
  facts["threads"] = std::to_string(machine.threads);
  facts["blas"] = machine.blas.core.empty() ? "?" : machine.blas.core;
  Names overrides;
  Object variables;
  for (const auto& [name, value] : machine.environment) {
    overrides.push_back(name + "=" + value);
    variables.members.push_back({name, value});
  }
  if (!overrides.empty()) facts["overrides"] = join(overrides, " ");
  if (limits) facts["peak"] = short_count(limits->flops) + "FLOP/s";
  if (limits && limits->bytes > 0) facts["bandwidth"] = format_bytes(limits->bytes) + "/s";
  report.add("machine", Object{{{"cpu", machine.processor},
                                {"isa", std::string(name(machine.isa))},
                                {"blas", machine.blas.core},
                                {"threads", Count{machine.threads}},
                                {"fma_gflops", limits ? Cell(limits->flops / 1e9) : Cell(None())},
                                {"read_gb_per_second",
                                 limits && limits->bytes > 0 ? Cell(limits->bytes / 1e9) : Cell(None())},
                                {"overrides", std::move(variables)}}});
  report.next = {report.frame.next, "bench ladder"};
  return report;
}

void say_machine(Report& report) {
  for (const char* key : {"machine", "limit", "overrides"}) report.say(key);
}

void CheckRows::add_unsaid(const std::string& name, bool pass, double value) {
  table_.rows.push_back({name, pass, value});
}

void CheckRows::add(const std::string& name, bool pass, double value, Sentence said) {
  add_unsaid(name, pass, value);
  rows_.push_back(
      {rows_.empty() ? "check" : "", std::move(said), pass ? Finding::Mark::good : Finding::Mark::bad});
}

void CheckRows::into(Report& report) {
  report.add(std::move(table_));
  for (Row& row : rows_) report.add(std::move(row));
}

} // namespace tfx
