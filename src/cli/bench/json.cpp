#include "cli/bench/screen.hpp"

#include "render/json.hpp"

namespace tfx {

using namespace bench;

namespace {

class BenchWriter {
public:
  void count(const char* key, std::size_t value) { json_.key(key), json_.value(value); }
  void number(const char* key, double value) { json_.key(key), json_.value(value); }
  void text(const char* key, const std::string& value) { json_.key(key), json_.value(value); }
  void truth(const char* key, bool value) { json_.key(key), json_.value(value); }
  void quotient(const char* key, double above, double below) {
    json_.key(key);
    below > 0 ? json_.value(above / below) : json_.null();
  }

  void head(const Machine& machine, const std::optional<MachineLimits>& limits) {
    begin_command(json_, "bench");
    json_.key("machine");
    json_.begin_object();
    text("cpu", machine.processor), text("isa", std::string(name(machine.isa)));
    text("blas", machine.blas.core);
    count("threads", machine.threads);
    quotient("fma_gflops", limits ? limits->flops : 0, limits ? 1e9 : 0);
    quotient("read_gb_per_second", limits ? limits->bytes : 0, limits && limits->bytes > 0 ? 1e9 : 0);
    json_.key("overrides");
    json_.begin_object();
    for (const auto& [variable, value] : machine.environment) text(variable.c_str(), value);
    json_.end_object();
    json_.end_object();
  }

  /// The time, the shares of the limits that were measured around it, and whether these held still.
  void figure(const bench::Work& work, const std::optional<Figure>& figure) {
    milliseconds(figure);
    const double seconds = figure ? figure->timing.median : 0;
    const MachineLimits limits = figure ? figure->limits : MachineLimits();
    quotient("gflops", work.flops / 1e9, seconds);
    quotient("share_of_peak", work.flops, limits.flops * seconds);
    quotient("tokens_per_second", static_cast<double>(work.tokens), seconds);
    if (work.bytes > 0) {
      number("bytes", work.bytes);
      quotient("share_of_bandwidth", work.bytes, limits.bytes * seconds);
    }
    if (!figure) return;
    number("peak_gflops", limits.flops / 1e9);
    count("tries", figure->tries), truth("disturbed", figure->disturbed);
  }

  void shape(const AttentionShape& s) {
    count("batch", s.batch), count("seq", s.seq), count("d_model", s.d_model), count("heads", s.heads);
    truth("causal", s.mask == Mask::causal);
  }
  void shape(const EncoderDecoderShape& s) {
    count("batch", s.batch), count("seq", s.src), count("tgt_seq", s.tgt);
    count("d_model", s.config.d_model), count("heads", s.config.heads);
    count("layers", s.config.layers), count("d_ff", s.config.d_ff), count("vocab", s.config.tgt_vocab);
  }

  void check(const std::string& name, bool pass, double value) {
    json_.begin_object();
    text("name", name), truth("pass", pass), number("value", value);
    json_.end_object();
  }

  JsonWriter& json() { return json_; }

  template <class List, class Body>
  void list(const char* key, const List& items, Body body) {
    json_.key(key);
    json_.begin_array();
    for (const auto& item : items) body(item);
    json_.end_array();
  }

private:
  void milliseconds(const std::optional<Figure>& figure) {
    json_.key("milliseconds");
    if (!figure) return json_.null();
    const Timing& t = figure->timing;
    json_.begin_object();
    number("median", 1e3 * t.median), number("q1", 1e3 * t.q1), number("q3", 1e3 * t.q3);
    number("mean", 1e3 * t.mean), count("runs", t.runs);
    json_.end_object();
  }

  JsonWriter json_;
};

} // namespace

std::string bench_json(const BenchRun& run) {
  BenchWriter out;
  out.head(run.machine, run.limits);
  out.list("results", run.results, [&](const BenchResult& one) {
    out.json().begin_object();
    out.text("name", one.what.name), out.text("work", name_of(one.what.what));
    std::visit([&](const auto& shape) { out.shape(shape); }, one.what.shape);
    if (const auto* attention = std::get_if<AttentionShape>(&one.what.shape))
      out.count("vocab", attention->vocab);
    out.number("flops", one.work.flops);
    out.figure(one.work, one.figure);
    out.json().end_object();
  });
  out.list("checks", run.results, [&](const BenchResult& one) {
    out.check(one.what.name + "." + one.agreement.with, one.agreement.holds(), one.agreement.difference);
  });
  out.json().end_object();
  return out.json().take();
}

std::string ladder_json(const LadderRun& run) {
  BenchWriter out;
  const auto climbed = [&](const char* key, const Climbed& one, const bench::Work& work) {
    if (key) out.json().key(key);
    out.json().begin_object();
    out.text("name", one.id), out.count("threads", one.threads), out.count("memory_bytes", one.memory);
    out.figure(work, one.figure);
    out.json().end_object();
  };
  out.head(run.machine, run.limits);
  out.json().key("shape");
  out.json().begin_object();
  out.shape(run.shape), out.number("flops", run.work.flops);
  out.json().end_object();
  out.list("results", run.rungs, [&](const Climbed& one) { climbed(nullptr, one, run.work); });
  out.list("growth", run.growth, [&](const Grown& one) {
    const bench::Work work =
        attention_work({1, one.n, run.shape.d_model / run.shape.heads, 1, 1, Mask::causal});
    out.json().begin_object();
    out.count("seq", one.n);
    climbed("whole", one.whole, work), climbed("fused", one.fused, work);
    out.json().end_object();
  });
  out.list("checks", run.rungs, [&](const Climbed& one) { out.check(one.id, one.equal, one.difference); });
  out.json().end_object();
  return out.json().take();
}

} // namespace tfx
