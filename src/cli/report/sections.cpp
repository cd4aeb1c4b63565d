#include "cli/report/sections.hpp"

#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/train/result.hpp"
#include "core/blas.hpp"
#include "core/memory.hpp"
#include "core/progress.hpp"
#include "core/stopwatch.hpp"
#include "kernels/gemm.hpp"
#include "lessons/run.hpp"
#include "model/counts.hpp"
#include "render/html/section.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <exception>

namespace tfx {

namespace {

/// Whether another lesson may take the same input.
bool concerns_the_lesson(const Error& error) {
  return error.kind() == ErrorKind::usage || error.kind() == ErrorKind::bad_data;
}

Html remark(const Bilingual& words, const Message& reason) {
  return element("div", {{"class", "remark"}},
                 element("p", words.ui("report.does_not_fit")) +
                     element("p", in_both({reason.in_english(), in_chinese(reason)})));
}

} // namespace

std::map<std::string, Html> lesson_sections(const ReportOptions& options, Context& context) {
  std::map<std::string, Html> sections;
  std::exception_ptr first_refusal;
  std::size_t ran = 0;
  const RunFor purpose = options.no_time ? RunFor::proof : RunFor::times;
  for (const Lesson& lesson : page_lessons()) {
    tell_progress(lesson.command, {sections.size() + 1, page_lessons().size()});
    InputOptions input = options.input;
    Message reason;
    LessonRun run;
    try {
      // Without the options that other lessons read, unless nothing is left of the learner's input.
      const InputOptions fit = fitting<InputOptions, InputRules>(input_options(), input, lesson);
      if (!typed_again(input_options(), fit).empty()) input = fit;
      run = run_lesson(lesson, input, purpose);
      ++ran;
    } catch (const Error& error) {
      if (!concerns_the_lesson(error)) throw;
      if (!first_refusal) first_refusal = std::current_exception();
      reason = error.message();
      input = {};
      run = run_lesson(lesson, input, purpose);
    }
    Screen screen = screen_of(lesson, input, run.trace);
    add_learned(screen, lesson, input, run.trace, context.style().ascii);
    screen.with_time = !options.no_time;
    const BothWords words = both_words(lesson.folder);
    const Html why = reason.empty() ? Html() : remark(Bilingual(run.trace, words, context.style()), reason);
    sections.emplace(lesson.command, lesson_section(run.trace, screen, words, context.style(), why));
    context.status |= status_of(run.trace);
  }
  if (ran == 0) std::rethrow_exception(first_refusal);
  return sections;
}

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
  Transformer<float> gradient = zeros_like(state.model);
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
  Screen frame = frame_of("train");
  frame.command = "training", frame.with_time = false;
  frame.options =
      " --task " + config.task + " --preset " + config.preset + " --steps " + std::to_string(steps);
  Report report =
      training_report(frame, training_result(state, *task, {.cost = cost, .watched = std::move(watched)}));
  report.onward.clear(); // the document is read, not typed
  return report_section(report, both_words(frame.folder), style);
}

} // namespace tfx
