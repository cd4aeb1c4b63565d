#include "train/training_config.hpp"

#include "core/error.hpp"
#include "io/message.hpp"
#include "model/model_spec.hpp"
#include "text/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace tfx {

namespace {

/// A preset of the model that is trained, and the highest learning rate that it bears.
struct Trained {
  const char* preset;
  double rate;
};

constexpr Trained trained[] = {{"tiny", 3e-3}, {"small", 2e-3}, {"base", 6e-4}};

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

/// Members that files do not have which are older than a choice of them.
const std::string examples_key = "train.examples", min_count_key = "train.min_count";

// Calls visit(key, member, min, max) for every number that metadata keep of a TrainingConfig, const or not.
template <class Config_, class Visit>
void each_member(Config_& config, Visit&& visit) {
  constexpr double many = 1e12; // well inside what a double counts exactly
  visit("train.dropout", config.dropout, 0, std::nextafter(1.0, 0.0));
  visit("train.smoothing", config.smoothing, 0, std::nextafter(1.0, 0.0));
  visit(examples_key.c_str(), config.examples, 0, many);
  visit(min_count_key.c_str(), config.min_count, 1, many);
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

const Choices<Targets>& target_words() {
  static const Choices<Targets> all{{"own", Targets::own}, {"shuffled", Targets::shuffled}};
  return all;
}

constexpr const char* draws_key = "train.draws";

const Choices<NumberDraws>& draws_words() {
  static const Choices<NumberDraws> all{{"digits", NumberDraws::digits}, {"blocks", NumberDraws::blocks}};
  return all;
}

double number_in(const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size() ? value : std::nan("");
}

} // namespace

const std::vector<std::string>& training_preset_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const Trained& one : trained) all.emplace_back(one.preset);
    return all;
  }();
  return names;
}

std::string default_preset(const std::string& task) {
  return task == "copy" ? "tiny" : "small";
}

TrainingConfig training_config_for(const std::string& task, const std::string& preset) {
  const Trained* found = nullptr;
  for (const Trained& one : trained)
    if (preset == one.preset) found = &one;
  if (!found) {
    const auto near = nearest(preset, training_preset_names());
    throw usage(said("there is no preset {name} of a training", {{"name", in_quotes(preset)}}),
                near ? said("did you mean {name}?", {{"name", *near}})
                     : said("there are: {names}", {{"names", join(training_preset_names(), ", ")}}));
  }
  TrainingConfig config;
  config.task = task, config.preset = preset;
  config.model.resize(architecture_of(preset));
  config.schedule = {Schedule::Curve::linear, found->rate, 60, 0, config.model.d_model};
  config.clip = 1;
  apply(config, task == "copy"      ? TaskDefaults{80, 400, 0.1, 0}
                : task == "reverse" ? TaskDefaults{128, 1500, 0.1, 0.1}
                : task == "pairs"   ? TaskDefaults{64, 1500, 0.1, 0.1}
                                    : TaskDefaults{128, 2000, 0, 0.1});
  if (task == "numbers-zh") config.draws = NumberDraws::blocks;
  return config;
}

std::map<std::string, std::string> metadata_of(const TrainingConfig& config) {
  std::map<std::string, std::string> metadata{{"train.preset", config.preset},
                                              {"train.targets", word_of(target_words(), config.targets)},
                                              {curve_key, word_of(curves(), config.schedule.curve)}};
  if (config.draws != NumberDraws::digits) metadata[draws_key] = word_of(draws_words(), config.draws);
  if (!config.pairs_file.empty()) metadata["train.pairs"] = config.pairs_file;
  if (!config.validation_file.empty()) metadata["train.validation"] = config.validation_file;
  each_member(config, [&](const char* key, const auto& value, double, double) {
    metadata[key] = fmt::format("{}", value);
  });
  return metadata;
}

TrainingConfig training_config_of(const std::map<std::string, std::string>& metadata, const ModelSpec& model,
                                  const std::string& path) {
  const Message hint = said("take the file as the training wrote it");
  const auto text = [&](const char* key) -> const std::string& {
    const auto found = metadata.find(key);
    if (found == metadata.end())
      refuse_file(path,
                  said("the metadata have no {key}: this is no checkpoint of a training",
                       {{"key", std::string(key)}}),
                  said("resume from the file that --out named"));
    return found->second;
  };
  const auto chosen = [&](const char* key, const auto& choices) {
    std::vector<std::string> words;
    for (const auto& [word, value] : choices) {
      if (text(key) == word) return value;
      words.push_back(word);
    }
    refuse_file(
        path,
        said("the metadata give {key} as {value}; it is {wanted}",
             {{"key", std::string(key)}, {"value", in_quotes(text(key))}, {"wanted", join(words, " or ")}}),
        hint);
  };
  TrainingConfig config;
  config.task = text("task");
  config.preset = text("train.preset");
  config.targets = chosen("train.targets", target_words());
  if (text(curve_key) == "warmup_root") // as files said before it was called as the option calls it
    config.schedule.curve = Schedule::Curve::warmup_root;
  else
    config.schedule.curve = chosen(curve_key, curves());
  if (metadata.contains(draws_key)) config.draws = chosen(draws_key, draws_words());
  if (metadata.contains("train.pairs")) config.pairs_file = text("train.pairs");
  if (metadata.contains("train.validation")) config.validation_file = text("train.validation");
  config.model = model;
  config.schedule.d_model = model.d_model;
  each_member(config, [&](const char* key, auto& value, double min, double max) {
    if ((key == examples_key || key == min_count_key) && !metadata.contains(key)) return;
    const double number = number_in(text(key));
    using Value = std::remove_reference_t<decltype(value)>;
    const bool whole = std::is_floating_point_v<Value> || number == std::floor(number);
    if (!(number >= min && number <= max) || !whole)
      refuse_file(path,
                  said("the metadata give {key} as {value}",
                       {{"key", std::string(key)}, {"value", in_quotes(text(key))}}),
                  hint);
    value = static_cast<Value>(number);
  });
  return config;
}

} // namespace tfx
