#include "cli/train/result.hpp"

#include "cli/options.hpp"
#include "core/number.hpp"
#include "train/training_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tfx {

namespace {

double mean(const std::vector<double>& values, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += values[i];
  return sum / static_cast<double>(count);
}

/// The tenth of the steps at the beginning, and that at the end.
void check_loss(Trace& t, const std::vector<double>& losses) {
  constexpr std::size_t enough = 20, part = 10;
  if (losses.size() < enough) return;
  const std::size_t count = losses.size() / part;
  const double first = mean(losses, 0, count), last = mean(losses, losses.size() - count, count);
  t.facts["loss_first"] = fmt::format("{:.3f}", first), t.facts["loss_last"] = fmt::format("{:.4f}", last);
  t.check("loss_fell", last < first, last);
}

/// How often always saying the most common answer is right.
double chance(const std::vector<Example>& examples) {
  std::map<TokenIds, std::size_t> counts;
  std::size_t max_count = 0;
  for (const Example& example : examples) max_count = std::max(max_count, ++counts[example.tgt]);
  return static_cast<double>(max_count) / static_cast<double>(examples.size());
}

void check_control(Trace& t, const TrainingState& state, const Task& task) {
  if (state.accuracies.empty()) return;
  const Accuracy& last = state.accuracies.back();
  const double p = chance(task.held_out(last.of)), n = static_cast<double>(last.of);
  constexpr double deviations = 3;
  t.facts["chance"] = fmt::format("{:.2g}", 100 * p);
  t.check_at_most("control", last.share(), p + deviations * std::sqrt(p * (1 - p) / n));
}

void state_config(Trace& t, const TrainingState& state) {
  const TrainingConfig& config = state.config;
  const Config& model = state.model.config;
  const auto count = [&](const char* name, std::size_t value) { t.facts[name] = with_separators(value); };
  count("layers", model.layers), count("d_model", model.d_model), count("d_ff", model.d_ff);
  count("heads", model.style.heads), count("parameters", t.measured->parameters);
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
  const bool linear = config.schedule.curve == Schedule::Curve::linear;
  t.facts[linear ? "linear_rate" : "factor"] = fmt::format("{}", config.schedule.rate);
  if (linear && config.schedule.decay_to > 0) count("decay_to", config.schedule.decay_to);
  if (config.targets == Targets::shuffled) t.facts["control"] = std::string("--shuffle-targets");
}

HeldOutSample sample_of(const TrainingState& state, const Task& task) {
  const TaskFacts& facts = task.facts();
  // The longest of a few: more to look at than one token.
  constexpr std::size_t few = 8;
  const std::vector<Example> examples = task.held_out(few);
  const Example& example =
      *std::max_element(examples.begin(), examples.end(),
                        [](const Example& a, const Example& b) { return a.src.size() < b.src.size(); });
  EncoderDecoder<double> model(state.model.config);
  each_parameter([](const std::string&, auto& wide,
                    const auto& narrow) { std::copy(narrow.begin(), narrow.end(), wide.begin()); },
                 "", model, state.model);
  decoding::Request request;
  request.limits = {facts.start, facts.end, facts.max_tokens - 1};
  HeldOutSample sample;
  sample.decoded = decoding::decode_text(model, card_of(facts), example.src, request);
  sample.source = facts.src_vocabulary.decode(example.src);
  sample.wanted = facts.tgt_vocabulary.decode(answer(facts, example.tgt));
  sample.answer = facts.tgt_vocabulary.decode(sample.decoded.tokens);
  return sample;
}

} // namespace

TrainingResult training_result(const TrainingState& state, const Task& task, const TrainingRun& run) {
  TrainingResult result{state, {}, {}};
  Trace& t = result.trace;
  t.lesson = "train", t.dtype = "float32", t.measured = run.cost;
  state_config(t, state);
  t.facts["step"] = with_separators(state.step);
  if (run.resumed_at) t.facts["resumed_at"] = with_separators(*run.resumed_at);
  if (!run.file.empty()) t.facts["file"] = quoted(run.file);
  if (run.file.empty()) t.facts["unsaved"] = std::string("model.safetensors");
  if (const std::uint64_t made = state.step - run.first; made > 0) {
    t.facts["step_time"] = format_seconds(run.cost.seconds / static_cast<double>(made));
    t.facts["seconds"] = format_seconds(run.cost.seconds);
  }
  if (state.config.targets == Targets::own) {
    t.facts["data"] = state.config.task == "pairs" ? "--pairs " + quoted(state.config.pairs_file)
                                                   : "--task " + state.config.task;
    check_loss(t, state.losses);
  } else {
    check_control(t, state, task);
  }
  if (task.held_out(1).empty()) t.facts["none_held_out"] = task.name();
  if (!state.accuracies.empty()) {
    const Accuracy& last = state.accuracies.back();
    t.facts["right"] = std::to_string(last.right), t.facts["of"] = std::to_string(last.of);
    t.facts["share"] = fmt::format("{:.1f}", 100 * last.share());
    result.sample = sample_of(state, task);
    t.facts["sample_source"] = quoted(result.sample->source);
  }
  return result;
}

} // namespace tfx
