// tfx train: the model learns a task.

#include "cli/add_option.hpp"
#include "cli/app.hpp"
#include "cli/commands.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "cli/options.hpp"
#include "cli/stop_signal.hpp"
#include "cli/train/corpus_result.hpp"
#include "cli/train/options.hpp"
#include "cli/train/progress.hpp"
#include "cli/train/result.hpp"
#include "core/blas.hpp"
#include "core/memory.hpp"
#include "core/stopwatch.hpp"
#include "io/file.hpp"
#include "io/message.hpp"
#include "io/open_file.hpp"
#include "kernels/gemm.hpp"
#include "lessons/run.hpp"
#include "model/counts.hpp"
#include "text/utf8.hpp"
#include "train/text_counts.hpp"
#include "train/training_file.hpp"
#include "words/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

namespace tfx {

namespace {

/// A training that has begun, or was resumed, and its data.
struct Begun {
  TrainingState state;
  std::unique_ptr<Task> task;
  std::optional<std::uint64_t> resumed_at = {};
  std::optional<std::uint64_t> saved_at = {}; ///< the step at which --out was last written
  Stopwatch since_save = {};
  Watched watched = {};
  WatchedText text = {};

  /// Where it learns a text.
  const CorpusTask* corpus() const { return dynamic_cast<const CorpusTask*>(task.get()); }

  /// Once a step: written twice, the file would be its own predecessor.
  void save(const std::string& file) {
    if (saved_at == state.step) return;
    save_training(state, task->facts(), file);
    saved_at = state.step, since_save = {};
  }

  /// Whether it is time to save on the way: at most so much work is lost with the machine.
  bool is_due(const std::optional<std::size_t>& save_every) const {
    constexpr double seconds_between = 300;
    return save_every ? state.step % *save_every == 0 : since_save.seconds() >= seconds_between;
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
  begun.state.config = resumed_config(begun.state.config, loaded.card, options);
  begun.resumed_at = begun.state.step;
  if (options.out == options.resume) begun.saved_at = begun.state.step;
  try {
    begun.task = task_of(begun.state.config, loaded.card); // cut as it was
  } catch (const Error& error) {
    if (options.pairs || error.kind() != ErrorKind::usage) throw;
    refuse_file(*options.resume, error.message(), error.hint());
  }
  if (begun.task->src_vocabulary().tokens != loaded.card.src.tokens ||
      begun.task->tgt_vocabulary().tokens != loaded.card.tgt.tokens)
    throw usage_error(begun.corpus() ? "other_text" : "other_pairs", {{"file", *options.resume}});
  if (begun.corpus() && begun.task->facts().sha256 != loaded.card.sha256)
    throw usage_error("other_text", {{"file", *options.resume}});
  return begun;
}

/// What this training alone writes while it runs: that it cannot is said now, and not after hours.
std::vector<FileLock> locked_outputs(const TrainOptions& options) {
  std::vector<FileLock> locks;
  for (const auto& file : {options.log, options.weights, options.out}) {
    if (!file) continue;
    require_writable(*file);
    if (is_written_directly(*file)) continue;
    const FileLock& lock = locks.emplace_back(*file);
    if (lock.held()) continue;
    throw error_in_words(ErrorKind::cannot_write, "train.held",
                         {{"file", printable(*file)}, {"process", printable(lock.holder())}});
  }
  return locks;
}

/// What a training is called without --out: the first of these names that nobody has, so that nothing is
/// replaced.
std::string usual_name(const Begun& begun, int number) {
  return "tfx-train-" + begun.state.config.task + (number > 1 ? "-" + std::to_string(number) : "") +
         ".safetensors";
}

bool is_free(const std::string& file) {
  std::error_code error;
  return !std::filesystem::exists(std::filesystem::symlink_status(file, error));
}

std::string save_anew(Begun& begun) {
  for (int i = 1;; ++i) {
    const std::string file = usual_name(begun, i);
    const FileLock lock(file);
    if (!lock.held() || !is_free(file)) continue;
    begun.save(file);
    return file;
  }
}

/// Without --out a signal alone saves: that this folder would not take it is said before the first step.
void tell_what_is_lost(const Begun& begun, Context& context) {
  int i = 1;
  while (!is_free(usual_name(begun, i))) ++i;
  try {
    require_writable(usual_name(begun, i));
  } catch (const Error& error) {
    context.notes.push_back(in_words("train.lost", {{"why", in_learners_language(error.message())}}));
    write_notes(context);
  }
}

[[noreturn]] void refuse_diverged(const Begun& begun, const Transformer<float>& gradient) {
  throw error_in_words(ErrorKind::bad_data, "train.diverged",
                       {{"step", std::to_string(begun.state.step + 1)},
                        {"name", first_not_finite(begun.state, gradient, *begun.task)},
                        {"longest", fmt::format("{:.4g}", begun.watched.longest_gradient)},
                        {"longest_at", std::to_string(begun.watched.longest_at)}});
}

/// Bits per byte by each order of counting on what is trained on.
std::vector<double> counted_bits(const CorpusTask& task, const std::vector<Example>& held_out) {
  std::vector<double> bits;
  for (const auto& order : counted_losses(counted_model(task.facts(), task.trained()), held_out))
    bits.push_back(total(order).bits_per_byte());
  return bits;
}

/// What is measured on. Documents of a text are long: of them what makes so many tokens.
std::vector<Example> held_out_of(const Begun& begun, const TrainOptions& options) {
  constexpr std::size_t enough_tokens = 20'000;
  std::vector<Example> all = begun.task->held_out(options.held_out.value_or(usual_held_out));
  if (!begun.corpus() || options.held_out) return all;
  std::size_t count = 0, tokens = 0;
  while (count < all.size() && tokens < enough_tokens) tokens += all[count++].tgt.size();
  all.resize(count);
  return all;
}

/// Runs to the last step or to a signal; → the signal, 0 if none came.
int run_steps(Begun& begun, const TrainOptions& options, const Context& context) {
  TrainingState& state = begun.state;
  const TaskFacts& facts = begun.task->facts();
  const std::uint64_t steps = state.config.steps,
                      measure_every = options.measure_every.value_or(std::max<std::uint64_t>(steps / 8, 1));
  const std::vector<Example> held_out = held_out_of(begun, options);
  begun.text.measured_documents = held_out.size();
  Transformer<float> gradient = zeros_like(state.model);
  std::optional<TrainingLog> log;
  if (options.log) log.emplace(*options.log, state.step);
  Progress progress(context, Progress::display_for(options.quiet), state.step);
  const StopSignals signals;
  if (begun.corpus() && !held_out.empty()) begun.text.counted = counted_bits(*begun.corpus(), held_out);
  const auto watch = [&] {
    if (options.quiet || !is_moment(state.step, steps)) return;
    if (begun.corpus())
      begun.text.samples.push_back({state.step, written_sample(state.model, facts, state.config.seed)});
    else if (!held_out.empty())
      begun.watched.moments.push_back(attention_now(state, *begun.task));
  };
  watch();
  while (state.step < steps && signals.caught() == 0) {
    const StepReport report = train_step(state, gradient, *begun.task, &begun.watched.times);
    if (!report.is_finite()) refuse_diverged(begun, gradient);
    if (report.gradient_norm > begun.watched.longest_gradient)
      begun.watched.longest_gradient = report.gradient_norm, begun.watched.longest_at = state.step;
    std::optional<Accuracy> accuracy;
    if (!held_out.empty() && (state.step % measure_every == 0 || state.step == steps)) {
      accuracy = measure(state, facts, held_out);
      state.accuracies.push_back(*accuracy);
    }
    watch();
    if (log) log->add(state.step, report, accuracy);
    ProgressState shown{state.step, steps, report.loss, report.tokens};
    if (!begun.text.counted.empty()) shown.counted = *std::ranges::min_element(begun.text.counted);
    if (!state.accuracies.empty() && begun.corpus())
      shown.bits_per_byte = state.accuracies.back().bits_per_byte;
    else if (!state.accuracies.empty())
      shown.accuracy = state.accuracies.back().share(), shown.chrf = state.accuracies.back().chrf;
    progress.show(shown);
    if (options.out && begun.is_due(options.save_every)) begun.save(*options.out);
  }
  return signals.caught();
}

/// What a signal leaves: a checkpoint, and the command that goes on from it.
void stop(Begun& begun, const TrainOptions& options, int signal, Context& context) {
  const TrainingState& state = begun.state;
  if (options.out) begun.save(*options.out);
  const std::string file = options.out ? *options.out : save_anew(begun);
  context.notes.push_back(
      in_words("train.stopped", {{"step", std::to_string(state.step)},
                                 {"steps", std::to_string(state.config.steps)},
                                 {"file", file},
                                 {"command", resume_command(file, options, context.global)}}));
  constexpr int signal_status = 128;
  context.status = signal_status + signal;
}

/// What was asked, to be typed again, but for what becomes of the page.
std::string typed(TrainOptions o) {
  o.save.reset(), o.json = false;
  std::string text = typed_again(train_options(), o);
  for (const std::string& file : o.more_files) text += " " + shell_quoted(file);
  return text;
}

void run(const TrainOptions& given, Context& context) {
  TrainOptions options = given;
  reserve_blas_memory();
  keep_freed_memory();
  check_train_files(options);
  if (options.resume && !options.out) options.out = options.resume;
  Begun begun = options.resume ? resume(options) : begin_new(options);
  const std::vector<FileLock> locks = locked_outputs(options);
  if (!options.out) tell_what_is_lost(begun, context);
  const std::uint64_t before = executed_macs();
  const Stopwatch watch;
  const std::uint64_t first = begun.state.step;
  if (const int signal = run_steps(begun, options, context)) return stop(begun, options, signal, context);
  Cost cost;
  cost.timing = timing_of({watch.seconds()});
  cost.macs = executed_macs() - before, cost.flops = 2 * cost.macs;
  cost.parameters = count_parameters(begun.state.model);
  if (options.out) begun.save(*options.out);
  if (options.weights)
    save_weights(begun.state, begun.task->facts(), *options.weights,
                 options.weights_dtype.value_or(DType::f32));

  Screen frame = frame_of("train");
  frame.options = typed(given);
  frame.quiet = options.quiet, frame.with_time = !options.no_time;
  const TrainingRun run{first, cost, begun.resumed_at, options.out.value_or(""), std::move(begun.watched)};
  const ShowOptions shown{options.json, options.no_time, options.save};
  if (begun.corpus()) {
    const Report report = corpus_report(frame, begun.state, *begun.corpus(), run, begun.text);
    return show_before_saving(report, shown, context);
  }
  show_before_saving(training_report(frame, training_result(begun.state, *begun.task, run)), shown, context);
}

} // namespace

Command train_command() {
  return command_row<TrainOptions>("train", run, [](CLI::App& command, TrainOptions& o, Context&) {
    add_argument(command, "FILES", o.more_files, in_words("corpus.files"));
    add_options(command, train_options(), o);
  });
}

} // namespace tfx
