// tfx bench: work is compared, then timed, and the time is held against the limit of this machine.

#include "bench/case.hpp"
#include "cli/add_option.hpp"
#include "cli/bench/lesson_steps.hpp"
#include "cli/bench/options.hpp"
#include "cli/bench/report.hpp"
#include "cli/bench/worker.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "core/blas.hpp"
#include "core/memory.hpp"
#include "core/progress.hpp"
#include "words/in_words.hpp"

namespace tfx {

using namespace bench;

namespace {

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

Report report_of(BenchWay way, const BenchOptions& options) {
  if (way == BenchWay::ladder) return ladder_report(climb_ladder(options));
  if (way == BenchWay::lesson)
    return lesson_steps_report(time_lesson_steps(options.shape.seq.value_or(64),
                                                 options.shape.d_model.value_or(512),
                                                 options.repeat.value_or(9), options.seed.value_or(42)));
  const bool is_tutorial = way == BenchWay::tutorial;
  const Repeats usual = is_tutorial ? Repeats{10, 100} : Repeats{};
  const BenchRun run =
      time_cases(is_tutorial ? std::vector{*find_preset("A1"), *find_preset("A2")} : cases_of(options),
                 options, repeats_of(options, usual));
  return is_tutorial ? tutorial_report(run) : cases_report(run);
}

/// What was asked for, but for how it is shown.
std::string typed_again(BenchOptions o) {
  o.json = o.no_time = false, o.save.reset();
  return (o.what ? " " + *o.what : "") + tfx::typed_again(bench_shape_options(), o.shape) +
         tfx::typed_again(bench_options(), o);
}

void run(const BenchOptions& options, Context& context) {
  const BenchWay way = bench_way(options);
  if (options.save) require_page(*options.save);
  reserve_blas_memory();
  keep_freed_memory();
  if (way == BenchWay::worker) return serve({options.inputs, options.outputs, options.seed.value_or(42)});
  Report report = report_of(way, options);
  report.frame.options = typed_again(options);
  show_before_saving(report, {options.json, options.no_time, options.save}, context);
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
