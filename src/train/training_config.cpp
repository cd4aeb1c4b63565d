#include "train/training_config.hpp"

#include "core/error.hpp"
#include "io/message.hpp"
#include "text/suggest.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace tfx {

namespace {

struct Size {
  const char* name;
  std::size_t layers, d_model, d_ff, heads;
  double rate; ///< the highest learning rate that it bears
};

/// tiny learns the copy task in seconds; small is what the shipped models are; base is The Annotated
/// Transformer's first example.
constexpr Size sizes[] = {
    {"tiny", 2, 64, 256, 4, 3e-3}, {"small", 2, 80, 320, 4, 2e-3}, {"base", 2, 512, 2048, 8, 6e-4}};

Config config_of(const Size& size) {
  Config config;
  config.layers = size.layers, config.d_model = size.d_model, config.d_ff = size.d_ff;
  config.style.heads = size.heads;
  return config;
}

/// What a task is trained with, whatever the size of the model.
struct TaskDefaults {
  std::size_t batch;
  std::uint64_t steps;
  double dropout, smoothing;
};

void apply(TrainingConfig& config, const TaskDefaults& task) {
  config.batch = task.batch;
  config.steps = config.schedule.decay_to = task.steps;
  config.dropout = task.dropout, config.smoothing = task.smoothing;
}

// Calls visit(key, member, min, max) for every number that metadata keep of a TrainingConfig, const or not.
template <class Config_, class Visit>
void each_member(Config_& config, Visit&& visit) {
  constexpr double many = 1e12; // well inside what a double counts exactly
  visit("train.dropout", config.dropout, 0, std::nextafter(1.0, 0.0));
  visit("train.smoothing", config.smoothing, 0, std::nextafter(1.0, 0.0));
  visit("train.batch", config.batch, 1, many);
  visit("train.accumulate", config.accumulate, 1, many);
  visit("train.clip", config.clip, 0, many);
  visit("train.beta_1", config.adam.beta_1, 0, std::nextafter(1.0, 0.0));
  visit("train.beta_2", config.adam.beta_2, 0, std::nextafter(1.0, 0.0));
  visit("train.epsilon", config.adam.epsilon, 1e-30, many); // it keeps a division from 0
  visit("train.decay", config.adam.decay, 0, many);
  visit("train.rate", config.schedule.rate, 0, many);
  visit("train.warmup", config.schedule.warmup, 0, many);
  visit("train.decay_to", config.schedule.decay_to, 0, many);
  visit("train.seed", config.seed, 0, 4294967295.0);
  visit("train.steps", config.steps, 0, many);
}

constexpr const char* curve_key = "train.schedule";

std::string word_of(Schedule::Curve curve) {
  return curve == Schedule::Curve::linear ? "linear" : "warmup_root";
}

double number_in(const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size() ? value : std::nan("");
}

} // namespace

const std::vector<std::string>& training_preset_names() {
  static const std::vector<std::string> names{"tiny", "small", "base"};
  return names;
}

std::string default_preset(const std::string& task) {
  return task == "copy" ? "tiny" : "small";
}

TrainingConfig training_config_for(const std::string& task, const std::string& preset) {
  const Size* found = nullptr;
  for (const Size& size : sizes)
    if (preset == size.name) found = &size;
  if (!found) {
    const std::string near = nearest(preset, training_preset_names()).value_or("");
    throw Error(ErrorKind::usage, fmt::format("there is no preset {} of a training", in_quotes(preset)),
                near.empty() ? "there are: tiny, small, base" : fmt::format("did you mean {}?", near));
  }
  TrainingConfig config;
  config.task = task, config.preset = preset;
  config.model = config_of(*found);
  config.schedule = {Schedule::Curve::linear, found->rate, 60, 0, found->d_model};
  config.clip = 1;
  apply(config, task == "copy"      ? TaskDefaults{80, 400, 0.1, 0}
                : task == "reverse" ? TaskDefaults{128, 1500, 0.1, 0.1}
                : task == "pairs"   ? TaskDefaults{64, 1500, 0.1, 0.1}
                                    : TaskDefaults{128, 2000, 0, 0.1});
  return config;
}

std::map<std::string, std::string> metadata_of(const TrainingConfig& config) {
  std::map<std::string, std::string> metadata{
      {"train.preset", config.preset},
      {"train.targets", config.targets == Targets::own ? "own" : "shuffled"},
      {curve_key, word_of(config.schedule.curve)}};
  if (!config.pairs_file.empty()) metadata["train.pairs"] = config.pairs_file;
  each_member(config, [&](const char* key, const auto& value, double, double) {
    metadata[key] = fmt::format("{}", value);
  });
  return metadata;
}

TrainingConfig training_config_of(const std::map<std::string, std::string>& metadata, const Config& model,
                                  const std::string& path) {
  const std::string hint = "take the file as the training wrote it";
  const auto text = [&](const char* key) -> const std::string& {
    const auto found = metadata.find(key);
    if (found == metadata.end())
      refuse_file(path, fmt::format("the metadata have no {}: this is no checkpoint of a training", key),
                  "resume from the file that --out named");
    return found->second;
  };
  const auto one_of = [&](const char* key, const char* first, const char* second) {
    if (text(key) != first && text(key) != second)
      refuse_file(
          path,
          fmt::format("the metadata give {} as {}; it is {} or {}", key, in_quotes(text(key)), first, second),
          hint);
    return text(key) == first;
  };
  TrainingConfig config;
  config.task = text("task");
  config.preset = text("train.preset");
  config.targets = one_of("train.targets", "own", "shuffled") ? Targets::own : Targets::shuffled;
  config.schedule.curve =
      one_of(curve_key, "linear", "warmup_root") ? Schedule::Curve::linear : Schedule::Curve::warmup_root;
  if (metadata.contains("train.pairs")) config.pairs_file = text("train.pairs");
  config.model = model;
  config.schedule.d_model = model.d_model;
  each_member(config, [&](const char* key, auto& value, double min, double max) {
    const double number = number_in(text(key));
    using Value = std::remove_reference_t<decltype(value)>;
    const bool whole = std::is_floating_point_v<Value> || number == std::floor(number);
    if (!(number >= min && number <= max) || !whole)
      refuse_file(path, fmt::format("the metadata give {} as {}", key, in_quotes(text(key))), hint);
    value = static_cast<Value>(number);
  });
  return config;
}

} // namespace tfx
