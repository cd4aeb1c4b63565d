#include "cli/report/sections.hpp"

#include "cli/lesson/save_html.hpp"
#include "cli/train/result.hpp"
#include "core/blas.hpp"
#include "core/memory.hpp"
#include "core/progress.hpp"
#include "core/stopwatch.hpp"
#include "kernels/gemm.hpp"
#include "lessons/run.hpp"
#include "model/parameters.hpp"
#include "render/html/heat_map.hpp"
#include "render/html/line_chart.hpp"
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

void add_sample(Section& section, const HeldOutSample& sample) {
  const Bilingual& words = section.words();
  const Step* alignment = sample.decoded.trace.find("alignment");
  if (!alignment) return;
  const char* verdict = sample.answer == sample.wanted ? "sample.right" : "sample.wrong";
  section.add(element(
      "p",
      words.ui(verdict, {{"source", sample.source}, {"answer", sample.answer}, {"wanted", sample.wanted}})));
  section.add(element("div", {{"class", "band"}},
                      step_figure(words, *alignment, {}, heat_map(*alignment, 0, words.style(), nullptr))));
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
  const std::unique_ptr<Task> task = make_task(config.task);
  TrainingState state = start_training(config, task->facts());
  EncoderDecoder<float> gradient = zeros_like(state.model);
  Cost cost;
  const std::uint64_t before = executed_macs();
  const Stopwatch watch;
  while (state.step < steps) {
    tell_progress("train", {static_cast<std::size_t>(state.step) + 1, steps});
    train_step(state, gradient, *task);
  }
  cost.seconds = watch.seconds();
  cost.macs = executed_macs() - before, cost.flops = 2 * cost.macs;
  cost.parameters = count_parameters(state.model);
  Accuracy accuracy = exact_match(state.model, task->facts(), task->held_out(usual_held_out));
  accuracy.step = state.step;
  state.accuracies.push_back(accuracy);
  const TrainingResult result = training_result(state, *task, {0, cost});

  Section section(result.trace, both_words(find_lesson("train").folder), style);
  Screen screen;
  screen.command = screen.typed = "train", screen.number = 14;
  screen.options =
      " --task " + config.task + " --preset " + config.preset + " --steps " + std::to_string(steps);
  section.title(screen);
  for (const char* key : {"task.copy", "model", "linear", "warmup_root", "clip"}) section.paragraph(key);
  add_curve(section, state);
  if (result.sample) add_sample(section, *result.sample);
  section.looks();
  section.checks();
  section.row("cost", element("p", amount_in_both(section.words(), cost)));
  return section.take("training");
}

} // namespace tfx
