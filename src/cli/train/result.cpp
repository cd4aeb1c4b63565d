#include "cli/train/result.hpp"

#include "cli/options.hpp"
#include "core/number.hpp"
#include "model/counts.hpp"
#include "model/weights.hpp"
#include "train/training_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tfx {

namespace {

double mean_of(const std::vector<double>& values, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += values[i];
  return sum / static_cast<double>(count);
}

/// How often always saying the most common answer is right.
double chance(const std::vector<Example>& examples) {
  std::map<TokenIds, std::size_t> counts;
  std::size_t max_count = 0;
  for (const Example& example : examples) max_count = std::max(max_count, ++counts[example.tgt]);
  return static_cast<double>(max_count) / static_cast<double>(examples.size());
}

Example shown_example(const Task& task) {
  constexpr std::size_t few = 8;
  const std::vector<Example> examples = task.held_out(few);
  return *std::ranges::max_element(examples, {}, [](const Example& one) { return one.src.size(); });
}

} // namespace

void check_loss(Trace& t, const std::vector<double>& losses) {
  constexpr std::size_t enough = 20, part = 10;
  if (losses.size() < enough) return;
  const std::size_t count = losses.size() / part;
  const double first = mean_of(losses, 0, count), last = mean_of(losses, losses.size() - count, count);
  t.facts["loss_first"] = fmt::format("{:.3f}", first), t.facts["loss_last"] = fmt::format("{:.4f}", last);
  t.facts[last < first ? "fell_to" : "rose_to"] = t.facts["loss_last"];
  t.check("loss_fell", last < first, last);
}

void check_control(Trace& t, const TrainingState& state, const Task& task) {
  if (state.accuracies.empty()) return;
  const Accuracy& last = state.accuracies.back();
  const double p = chance(task.held_out(last.of)), n = static_cast<double>(last.of);
  constexpr double deviations = 3;
  t.facts["chance"] = fmt::format("{:.2g}", 100 * p);
  t.check_at_most("control", last.share(), p + deviations * std::sqrt(p * (1 - p) / n));
}

HeldOutSample held_out_sample(const TrainingState& state, const Task& task) {
  const TaskFacts& facts = task.facts();
  const Example example = shown_example(task);
  const std::vector<TokenIds> answers = decode_batch(
      in_double(state.model), {example.src}, {.limits = {facts.start, facts.end, facts.max_tokens - 1}});
  return {facts.src_vocabulary.decode(example.src), facts.tgt_vocabulary.decode(answer(facts, example.tgt)),
          facts.tgt_vocabulary.decode(answers.at(0))};
}

bool is_moment(std::uint64_t step, std::uint64_t steps) {
  for (const std::uint64_t part : {8, 4, 2, 1})
    if (step == steps / part) return true;
  return step == 0;
}

AttentionMoment attention_now(const TrainingState& state, const Task& task) {
  const Example example = shown_example(task);
  return {state.step, alignment_of(in_double(state.model), card_of(task.facts()), example.src, example.tgt)};
}

void state_config(Trace& t, const TrainingState& state) {
  const TrainingConfig& config = state.config;
  const ModelSpec& model = state.model.spec;
  const auto count = [&](const char* name, std::size_t value) { t.facts[name] = with_separators(value); };
  count("layers", model.layers), count("d_model", model.d_model), count("d_ff", model.d_ff);
  count("heads", model.heads), count("parameters", t.measured->parameters);
  count("src_vocab", model.src_vocab), count("tgt_vocab", model.tgt_vocab);
  count("batch", config.batch * config.accumulate), count("warmup", config.schedule.warmup);
  t.facts["preset"] = config.preset;
  t.facts["dropout"] = fmt::format("{}", config.dropout);
  t.facts["smoothing"] = fmt::format("{}", config.smoothing);
  t.facts["seed"] = std::to_string(config.seed);
  t.facts["beta_1"] = fmt::format("{}", config.adam.beta_1),
  t.facts["beta_2"] = fmt::format("{}", config.adam.beta_2);
  if (config.clip > 0) t.facts["clip"] = fmt::format("{}", config.clip);
  if (config.adam.decay > 0) t.facts["decay"] = fmt::format("{}", config.adam.decay);
  const Schedule::Curve curve = config.schedule.curve;
  t.facts[curve == Schedule::Curve::linear   ? "linear_rate"
          : curve == Schedule::Curve::cosine ? "cosine_rate"
                                             : "factor"] = fmt::format("{}", config.schedule.rate);
  if (curve != Schedule::Curve::warmup_root && config.schedule.decay_to > 0)
    count("decay_to", config.schedule.decay_to);
  if (config.examples > 0) count("examples", config.examples);
  if (config.targets == Targets::shuffled) t.facts["control"] = std::string("--shuffle-targets");
}

namespace {

// Where the loss on held-out examples was lowest, if it has risen since by more than a tenth and is larger
// than that of training: what is learned is the examples.
void state_by_heart(Trace& t, const std::vector<Accuracy>& accuracies, double training_loss) {
  const Accuracy* best = nullptr;
  for (const Accuracy& one : accuracies)
    if (one.loss && (!best || *one.loss < *best->loss)) best = &one;
  constexpr double much = 1.1;
  if (!best || !accuracies.back().loss ||
      !(*accuracies.back().loss > much * std::max(*best->loss, training_loss)))
    return;
  t.facts["best_step"] = with_separators(best->step);
  t.facts["best_loss"] = fmt::format("{:.3f}", *best->loss);
  t.facts["later_loss"] = fmt::format("{:.3f}", *accuracies.back().loss);
}

// Of one step; and how much longer the way back took than the way there.
std::vector<PartTime> mean_times(Trace& t, const ModuleTimes& all, std::uint64_t steps) {
  std::vector<PartTime> times = all.parts();
  double forward = 0, backward = 0;
  for (PartTime& one : times) {
    one.forward /= static_cast<double>(steps), one.backward /= static_cast<double>(steps);
    if (one.backward > 0) forward += one.forward, backward += one.backward;
  }
  if (forward > 0) t.facts["backward_ratio"] = fmt::format("{:.1f}", backward / forward);
  return times;
}

} // namespace

TrainingResult training_result(const TrainingState& state, const Task& task, const TrainingRun& run) {
  TrainingResult result{state, {}, {}, run.watched.moments, {}};
  Trace& t = result.trace;
  t.lesson = "train", t.dtype = "float32", t.measured = run.cost;
  state_config(t, state);
  t.facts["step"] = with_separators(state.step);
  if (run.resumed_at) t.facts["resumed_at"] = with_separators(*run.resumed_at);
  if (run.resumed_at == state.step) t.facts["nothing_left"] = with_separators(state.step);
  if (!run.file.empty()) t.facts["file"] = shell_quoted(run.file);
  if (run.file.empty()) t.facts["unsaved"] = std::string("model.safetensors");
  if (const std::uint64_t made = state.step - run.first; made > 0) {
    t.facts["step_time"] = format_seconds(run.cost.timing->median / static_cast<double>(made));
    t.facts["seconds"] = format_seconds(run.cost.timing->median);
    t.facts["steps_made"] = with_separators(made);
    result.times = mean_times(t, run.watched.times, made);
  }
  if (state.config.targets == Targets::own) {
    t.facts["data"] = state.config.task == "pairs" ? "--pairs " + shell_quoted(state.config.pairs_file)
                                                   : "--task " + state.config.task;
    check_loss(t, state.losses);
    if (state.config.examples == 0 && t.facts.contains("fell_to")) t.facts["usual"] = t.facts["data"];
  } else {
    check_control(t, state, task);
  }
  if (t.facts.contains("rose_to")) {
    t.facts["longest"] = fmt::format("{:.4g}", run.watched.longest_gradient);
    t.facts["longest_at"] = with_separators(run.watched.longest_at);
  } else if (state.config.targets == Targets::own && !state.losses.empty()) {
    state_by_heart(t, state.accuracies, state.losses.back());
  }
  if (task.held_out(1).empty()) t.facts["none_held_out"] = task.name();
  if (!state.accuracies.empty()) {
    const Accuracy& last = state.accuracies.back();
    t.facts["right"] = std::to_string(last.right), t.facts["of"] = std::to_string(last.of);
    t.facts["share"] = fmt::format("{:.1f}", 100 * last.share());
    result.sample = held_out_sample(state, task);
    t.facts["sample_source"] = shell_quoted(result.sample->source);
  }
  return result;
}

} // namespace tfx
