#include "cli/report/sections.hpp"

#include "cli/lesson/save.hpp"
#include "cli/train/result.hpp"
#include "core/blas.hpp"
#include "core/memory.hpp"
#include "core/progress.hpp"
#include "core/stopwatch.hpp"
#include "kernels/gemm.hpp"
#include "lessons/run.hpp"
#include "model/counts.hpp"
#include "render/html/charts.hpp"
#include "render/html/section.hpp"
#include "text/utf8.hpp"

namespace tfx {

namespace {

void add_curve(Section& section, const TrainingState& state) {
  const Bilingual& words = section.words();
  const Html chart = line_chart(state.losses, "loss", words.style());
  if (chart.empty()) return;
  const Html caption = element("figcaption", words.ui("report.curve"));
  section.add(
      element("div", {{"class", "band"}}, element("figure", {{"class", "step wide"}}, caption + chart)));
}

void add_sample(Section& section, const TrainingResult& result) {
  const Bilingual& words = section.words();
  const HeldOutSample& sample = *result.sample;
  const char* verdict = sample.answer == sample.wanted ? "sample.right" : "sample.wrong";
  section.add(element(
      "p",
      words.ui(verdict, {{"source", sample.source}, {"answer", sample.answer}, {"wanted", sample.wanted}})));
  section.add(element("p", words.ui("moments")));
  Html figures;
  for (const AttentionMoment& moment : result.moments) {
    const Html caption = element("figcaption", words.ui("moment", {{"step", std::to_string(moment.step)}}));
    figures += element("figure", {{"class", "step"}},
                       caption + heat_map(moment.alignment, 0, words.style(), nullptr));
  }
  section.add(element("div", {{"class", "band"}}, figures));
}

} // namespace

Html training_section(std::size_t steps, const Style& style) {
  reserve_blas_memory();
  keep_freed_memory();
  const TrainingConfig config = [&] {
    TrainingConfig usual = training_config_for("copy", "tiny");
    usual.steps = steps;
    return usual;
  }();
  const std::unique_ptr<Task> task = make_task(config.task, {.draws = config.draws});
  TrainingState state = start_training(config, task->facts());
  EncoderDecoder<float> gradient = zeros_like(state.model);
  Cost cost;
  const std::uint64_t before = executed_macs();
  const Stopwatch watch;
  Watched watched;
  watched.moments.push_back(attention_now(state, *task));
  while (state.step < steps) {
    tell_progress("train", {static_cast<std::size_t>(state.step) + 1, steps});
    train_step(state, gradient, *task);
    if (is_moment(state.step, steps)) watched.moments.push_back(attention_now(state, *task));
  }
  cost.timing = timing_of({watch.seconds()});
  cost.macs = executed_macs() - before, cost.flops = 2 * cost.macs;
  cost.parameters = count_parameters(state.model);
  state.accuracies.push_back(measure(state, task->facts(), task->held_out(usual_held_out)));
  const TrainingResult result = training_result(state, *task, {.cost = cost, .watched = std::move(watched)});

  Section section(result.trace, both_words(find_lesson("train").folder), style);
  Screen screen;
  screen.command = screen.typed = "train", screen.number = 14;
  screen.options =
      " --task " + config.task + " --preset " + config.preset + " --steps " + std::to_string(steps);
  section.title(screen);
  for (const char* key : {"task.copy", "model", "linear", "warmup_root", "clip"}) section.paragraph(key);
  add_curve(section, state);
  if (result.sample) add_sample(section, result);
  section.looks();
  section.checks();
  section.row("cost", element("p", amount_in_both(section.words(), cost)));
  return section.take("training");
}

} // namespace tfx
