#include "train/training_config.hpp"

#include "core/error.hpp"
#include "io/message.hpp"
#include "model/microgpt.hpp"
#include "model/model_spec.hpp"
#include "text/names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace tfx {

namespace {

/// A preset of an encoder-decoder, and the highest learning rate that it bears.
struct Trained {
  const char* preset;
  double rate;
};

constexpr Trained trained[] = {{"tiny", 3e-3}, {"small", 2e-3}, {"base", 6e-4}};

/// A preset of a decoder that goes on with a text.
struct Writer {
  const char* preset;
  void (*choose)(TrainingConfig&);
};

/// What both micro models are trained with: nanoGPT's and minGPT's usual choices, for some minutes of a
/// laptop.
void train_as_gpt(TrainingConfig& config) {
  ModelSpec& model = config.model;
  model.stacks = Stacks::decoder, model.scaled_embedding = false, model.max_len = 64;
  model.layers = 4, model.d_model = 64, model.heads = 4, model.d_ff = usual_d_ff(model.d_model);
  config.init = WeightInit::gpt2;
  config.adam = {0.9, 0.99, 1e-8, 0.1}, config.decayed = Decayed::matrices;
  config.schedule = {Schedule::Curve::cosine, 2e-3, 100, 3000, model.d_model, 0.1};
  config.steps = config.schedule.decay_to;
  config.batch = 16, config.clip = 1, config.dropout = 0, config.smoothing = 0;
}

/// GPT-2's layers (Radford et al. 2019), with an output of their own.
void choose_gpt_micro(TrainingConfig& config) {
  train_as_gpt(config);
  choose_gpt2_parts(config.model);
}

/// Llama's layers (Touvron et al. 2023), two heads of keys and values as in later ones.
void choose_llama_micro(TrainingConfig& config) {
  train_as_gpt(config);
  ModelSpec& model = config.model;
  model.norm.rule = Norm::rms, model.norm.shift = false;
  model.activation = Activation::silu, model.gated = true;
  model.positions = Positions::rotary, model.pairs = RotaryPairs::halves, model.kv_heads = 2;
  model.biases = {false, false, false, false}, model.tied = true;
  constexpr std::size_t multiple = 8;
  model.d_ff = 8 * model.d_model / 3 / multiple * multiple; // a gate has three matrices in place of two
}

/// Karpathy 2026: one layer, and nothing that is not needed.
void choose_microgpt(TrainingConfig& config) {
  ModelSpec& model = config.model;
  model.stacks = Stacks::decoder, model.scaled_embedding = false, model.max_len = 16;
  model.layers = 1, model.d_model = 16, model.heads = 4, model.d_ff = usual_d_ff(model.d_model);
  model.norm = {Norm::rms, NormPlacement::pre_norm, 1e-5, false, false};
  model.embedding_norm = true, model.final_norm = false;
  model.activation = Activation::relu, model.positions = Positions::learned;
  model.biases = {false, false, false, false};
  config.init = WeightInit::microgpt;
  config.corpus.documents = Documents::line, config.corpus.held_out = HeldOut::none;
  config.corpus.reading = Reading::documents;
  const MicrogptTraining its;
  config.adam = {its.beta_1, its.beta_2, its.epsilon, 0};
  config.steps = its.steps;
  config.schedule = {Schedule::Curve::linear, its.rate,      1,
                     its.steps + 1,           model.d_model, 0}; // all of it at first
  config.batch = 1, config.clip = 0, config.dropout = 0, config.smoothing = 0;
}

constexpr Writer writers[] = {
    {"gpt-micro", choose_gpt_micro}, {"llama-micro", choose_llama_micro}, {"microgpt", choose_microgpt}};

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
  if (config.task == "corpus") visit("train.least", config.schedule.least, 0, 1);
  visit("train.seed", config.seed, 0, 4294967295.0);
  visit("train.steps", config.steps, 0, many);
}

constexpr const char *curve_key = "train.schedule", *files_key = "train.corpus",
                     *reading_key = "train.reading", *init_key = "train.init", *decayed_key = "train.decayed";

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
    for (const Writer& one : writers) all.emplace_back(one.preset);
    return all;
  }();
  return names;
}

std::string default_preset(const std::string& task) {
  if (task == "corpus") return writers[0].preset;
  return task == "copy" ? "tiny" : "small";
}

TrainingConfig training_config_for(const std::string& task, const std::string& preset) {
  const auto* found = std::ranges::find(trained, preset, &Trained::preset);
  const auto* writer = std::ranges::find(writers, preset, &Writer::preset);
  if (found == std::end(trained) && writer == std::end(writers)) {
    const auto near = nearest(preset, training_preset_names());
    throw usage(said("there is no preset {name} of a training", {{"name", in_quotes(preset)}}),
                near ? said("did you mean {name}?", {{"name", *near}})
                     : said("there are: {names}", {{"names", join(training_preset_names(), ", ")}}));
  }
  if ((task == "corpus") != (writer != std::end(writers)))
    throw usage(
        said("the preset {name} is none of the task {task}", {{"name", preset}, {"task", task}}),
        said("gpt-micro, llama-micro and microgpt go on with a text, --corpus FILE; the others translate"));
  TrainingConfig config;
  config.task = task, config.preset = preset;
  if (writer != std::end(writers)) {
    writer->choose(config);
    config.schedule.d_model = config.model.d_model;
    return config;
  }
  config.model.resize(architecture_of(preset));
  config.schedule.curve = Schedule::Curve::linear, config.schedule.rate = found->rate;
  config.schedule.warmup = 60, config.schedule.d_model = config.model.d_model;
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
  if (config.task == "corpus") {
    metadata[files_key] = join(config.corpus.files, "\n");
    metadata[documents_key] = word_of(documents_words(), config.corpus.documents);
    metadata[held_out_key] = word_of(held_out_words(), config.corpus.held_out);
    metadata[reading_key] = word_of(reading_words(), config.corpus.reading);
    metadata[init_key] = word_of(weight_init_words(), config.init);
    metadata[decayed_key] = word_of(decayed_words(), config.decayed);
  }
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
  if (config.task == "corpus") {
    config.corpus.files = split_lines(text(files_key));
    config.corpus.documents = chosen(documents_key, documents_words());
    config.corpus.held_out = chosen(held_out_key, held_out_words());
    config.corpus.reading = chosen(reading_key, reading_words());
    config.init = chosen(init_key, weight_init_words());
    config.decayed = chosen(decayed_key, decayed_words());
  }
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
