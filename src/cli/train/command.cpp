// tfx train: the model learns a task.

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/course/progress.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "cli/stop_signal.hpp"
#include "cli/train/json.hpp"
#include "cli/train/options.hpp"
#include "cli/train/result.hpp"
#include "cli/train/screen.hpp"
#include "core/blas.hpp"
#include "core/memory.hpp"
#include "core/stopwatch.hpp"
#include "io/message.hpp"
#include "kernels/gemm.hpp"
#include "lessons/run.hpp"
#include "model/parameters.hpp"
#include "train/training_file.hpp"
#include "train/training_log.hpp"
#include "words/lesson_words.hpp"

#include <cmath>
#include <memory>

namespace tfx {

namespace {

/// A training that has begun, or was resumed, and its data.
struct Begun {
  TrainingState state;
  std::unique_ptr<Task> task;
  std::optional<std::uint64_t> resumed_at = {};
  std::optional<std::uint64_t> saved_at = {}; ///< the step at which --out was last written

  /// Once a step: written twice, the file would be its own predecessor.
  void save(const std::string& file) {
    if (saved_at == state.step) return;
    save_training(state, task->facts(), file);
    saved_at = state.step;
  }
};

Begun begin_new(const TrainOptions& options) {
  Begun begun;
  const TrainingConfig config = training_config_of(options);
  begun.task = task_of(config, options);
  begun.state = start_training(config, begun.task->facts());
  return begun;
}

Begun resume(const TrainOptions& options) {
  LoadedTraining loaded = load_training(*options.resume);
  Begun begun;
  begun.state = std::move(loaded.state);
  begun.state.config = resumed_config(begun.state.config, options);
  begun.resumed_at = begun.state.step;
  if (options.out == options.resume) begun.saved_at = begun.state.step;
  TrainOptions same_tokens = options; // own pairs are cut as they were
  if (begun.state.config.task == "pairs")
    same_tokens.src_tokens = loaded.card.src.tokenizer, same_tokens.tgt_tokens = loaded.card.tgt.tokenizer;
  try {
    begun.task = task_of(begun.state.config, same_tokens);
  } catch (const Error& error) {
    if (options.pairs || error.kind() != ErrorKind::usage) throw;
    throw Error(ErrorKind::bad_data, printable(*options.resume) + ": " + error.what(), error.hint());
  }
  if (begun.task->src_vocabulary().tokens != loaded.card.src.tokens ||
      begun.task->tgt_vocabulary().tokens != loaded.card.tgt.tokens)
    throw usage_error("other_pairs", {{"file", *options.resume}});
  return begun;
}

/// Runs to the last step or to a signal; → the signal, 0 if none came.
int run_steps(Begun& begun, const TrainOptions& options, const Context& context) {
  TrainingState& state = begun.state;
  const TaskFacts& facts = begun.task->facts();
  const std::uint64_t steps = state.config.steps,
                      measure_every = options.measure_every.value_or(std::max<std::uint64_t>(steps / 8, 1));
  const std::vector<Example> held_out = begun.task->held_out(options.held_out.value_or(usual_held_out));
  EncoderDecoder<float> gradient = zeros_like(state.model);
  std::optional<TrainingLog> log;
  if (options.log) log.emplace(*options.log, state.step);
  Progress progress(context, Progress::display_for(options.quiet), state.step);
  const StopSignals signals;
  while (state.step < steps && signals.caught() == 0) {
    const StepReport report = train_step(state, gradient, *begun.task);
    if (!std::isfinite(report.loss) || !std::isfinite(report.gradient_norm))
      throw Error(ErrorKind::bad_data, in_words("train.diverged", {{"step", std::to_string(state.step)}}),
                  in_words("train.diverged.hint"));
    std::optional<Accuracy> accuracy;
    if (!held_out.empty() && (state.step % measure_every == 0 || state.step == steps)) {
      accuracy = exact_match(state.model, facts, held_out);
      accuracy->step = state.step;
      state.accuracies.push_back(*accuracy);
    }
    if (log) log->add(state.step, report, accuracy);
    ProgressState shown{state.step, steps, report.loss, report.tokens};
    if (!state.accuracies.empty()) shown.accuracy = state.accuracies.back().share();
    progress.show(shown);
    if (options.out && options.save_every && state.step % *options.save_every == 0) begun.save(*options.out);
  }
  return signals.caught();
}

/// What a signal leaves: a checkpoint, and the command that goes on from it.
void stop(Begun& begun, const TrainOptions& options, int signal, Context& context) {
  const TrainingState& state = begun.state;
  const std::string file = options.out.value_or("tfx-train-" + state.config.task + ".safetensors");
  begun.save(file);
  context.notes.push_back(
      in_words("train.stopped", {{"step", std::to_string(state.step)},
                                 {"steps", std::to_string(state.config.steps)},
                                 {"file", file},
                                 {"command", resume_command(file, options, context.global)}}));
  constexpr int signal_status = 128;
  context.status = signal_status + signal;
}

void run(TrainOptions options, Context& context) {
  reserve_blas_memory();
  keep_freed_memory();
  check_train_files(options);
  if (options.resume && !options.out) options.out = options.resume;
  Begun begun = options.resume ? resume(options) : begin_new(options);
  const std::uint64_t before = executed_macs();
  const Stopwatch watch;
  const std::uint64_t first = begun.state.step;
  if (const int signal = run_steps(begun, options, context)) return stop(begun, options, signal, context);
  Cost cost;
  cost.seconds = watch.seconds();
  cost.macs = executed_macs() - before, cost.flops = 2 * cost.macs;
  cost.parameters = count_parameters(begun.state.model);
  if (options.out) begun.save(*options.out);
  if (options.weights) save_weights(begun.state, begun.task->facts(), *options.weights);

  const TrainingResult result =
      training_result(begun.state, *begun.task, {first, cost, begun.resumed_at, options.out.value_or("")});
  for (const Check& check : result.trace.checks)
    if (!check.pass) context.status = 1;
  if (options.json) {
    context.out = training_json(begun.state, result.trace, !options.no_time) + "\n";
    return;
  }
  Screen screen = frame_of("train");
  screen.quiet = options.quiet, screen.with_time = !options.no_time;
  context.out = render_training(result, screen, words_in(find_lesson("train").folder), context.style());
}

} // namespace

void add_train_command(CLI::App& app, Context& context) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App& command = add_command(app, context, "train", title_in(find_lesson("train").folder),
                                  [&context, options] { run(*options, context); });
  if (context.names("train")) add_train_options(command, *options);
}

} // namespace tfx
