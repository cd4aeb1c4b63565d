// tfx bench: work is compared, then timed, and the time is held against the limit of this machine. The
// figures are printed as a screen (screen.hpp), or here as JSON.

#include "bench/case.hpp"
#include "cli/add_option.hpp"
#include "cli/bench/lesson_steps.hpp"
#include "cli/bench/options.hpp"
#include "cli/bench/screen.hpp"
#include "cli/bench/worker.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/screen.hpp"
#include "core/blas.hpp"
#include "core/memory.hpp"
#include "core/progress.hpp"
#include "lessons/run.hpp"
#include "render/json.hpp"
#include "words/in_words.hpp"

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
  void shape(const TransformerShape& s) {
    text("family", word_of(families(), s.spec.stacks));
    count("batch", s.batch);
    if (s.spec.has_encoder()) count("seq", s.src);
    if (s.prompt > 1) count("prompt", s.prompt);
    count("tgt_seq", s.tgt);
    count("d_model", s.spec.d_model), count("heads", s.spec.heads);
    count("layers", s.spec.layers), count("d_ff", s.spec.d_ff), count("vocab", s.spec.tgt_vocab);
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

namespace {

Screen bench_screen(const BenchOptions& options) {
  Screen screen = frame_of("bench");
  screen.with_time = !options.no_time;
  return screen;
}

/// Each case is built, compared and timed before the next one takes memory.
BenchRun time_cases(const std::vector<WorkPreset>& presets, const BenchOptions& options,
                    const Repeats& repeats) {
  BenchRun run{look_at_machine(), {}, {}};
  if (!options.no_time) run.limits = measure_limits();
  for (const WorkPreset& preset : presets) {
    tell_progress(preset.name);
    const Case work = make_case(preset, options.seed.value_or(42));
    BenchResult result{preset, work.work, work.compare(), {}};
    if (result.agreement.holds() && !options.no_time) {
      const auto limits = [&] { return limits_for(work.work); };
      result.figure = figure_of([&] { work.run(); }, work.work, repeats, limits);
      run.limits = better(*run.limits, result.figure->limits);
    }
    run.results.push_back(std::move(result));
  }
  return run;
}

LadderRun climb_ladder(const BenchOptions& options) {
  LadderRun run{look_at_machine(), {}, ladder_shape(options), {}, {}, {}};
  run.work = attention_work(run.shape);
  std::optional<Repeats> repeats;
  constexpr std::size_t max_seq = 8192;
  if (!options.no_time) {
    run.limits = measure_limits();
    repeats = repeats_of(options, {1, {}, options.quick ? 0.1 : 0.5, 3, 100});
  }
  const Watch watch = [](const std::string& what) { tell_progress(what); };
  const AttentionBlock block = drawn_block(run.shape, options.seed.value_or(42));
  run.rungs = climb(rungs(), block, repeats, watch);
  if (repeats)
    run.growth = grow(run.shape.d_model / run.shape.heads, std::max<std::size_t>(run.shape.seq / 2, 1),
                      std::min(8 * run.shape.seq, max_seq), *repeats, watch);
  for (const Climbed* one : run.climbed())
    if (one->figure) run.limits = better(*run.limits, one->figure->limits);
  return run;
}

void run(const BenchOptions& options, Context& context) {
  const BenchWay way = bench_way(options);
  reserve_blas_memory();
  keep_freed_memory();
  const Words words = words_in(find_lesson("bench").folder);
  const Screen screen = bench_screen(options);
  if (way == BenchWay::worker) return serve({options.inputs, options.outputs, options.seed.value_or(42)});
  if (way == BenchWay::ladder) {
    const LadderRun ladder = climb_ladder(options);
    context.status = ladder.agrees() ? 0 : 1;
    context.out =
        options.json ? ladder_json(ladder) + "\n" : render_ladder(ladder, screen, words, context.style());
    return;
  }
  if (way == BenchWay::lesson) {
    const LessonSteps steps =
        time_lesson_steps(options.shape.seq.value_or(64), options.shape.d_model.value_or(512),
                          options.repeat.value_or(9), options.seed.value_or(42));
    context.out = options.json ? lesson_steps_json(steps) + "\n"
                               : render_lesson_steps(steps, screen, words, context.style());
    return;
  }
  const bool tutorial = way == BenchWay::tutorial;
  const Repeats usual = tutorial ? Repeats{10, 100} : Repeats{};
  const BenchRun cases =
      time_cases(tutorial ? std::vector{*find_preset("A1"), *find_preset("A2")} : cases_of(options), options,
                 repeats_of(options, usual));
  context.status = cases.agrees() ? 0 : 1;
  if (options.json)
    context.out = bench_json(cases) + "\n";
  else
    context.out = tutorial ? render_tutorial(cases, screen, words, context.style())
                           : render_cases(cases, screen, words, context.style());
}

} // namespace

Command bench_command() {
  return command_row<BenchOptions>("bench", run, [](CLI::App& command, BenchOptions& o, Context&) {
    add_argument(command, "WORK", o.what, in_words("bench.work", {{"names", alternatives(bench_works())}}));
    add_options(command, bench_shape_options(), o.shape);
    add_options(command, bench_options(), o);
  });
}

} // namespace tfx
