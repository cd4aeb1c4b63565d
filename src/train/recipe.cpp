#include "train/recipe.hpp"

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

/// What a task is trained with, whatever the size.
struct Measures {
  std::size_t batch;
  std::uint64_t steps;
  double dropout, smoothing;
};

void follow(Recipe& recipe, const Measures& measures) {
  recipe.batch = measures.batch;
  recipe.steps = recipe.schedule.decay_to = measures.steps;
  recipe.dropout = measures.dropout, recipe.smoothing = measures.smoothing;
}

// Calls visit(key, member, least, most) for everything that metadata keep of a recipe.
template <class Recipe_, class Visit>
void each_member(Recipe_& recipe, Visit&& visit) {
  constexpr double many = 1e12; // well inside what a double counts exactly
  visit("train.dropout", recipe.dropout, 0, std::nextafter(1.0, 0.0));
  visit("train.smoothing", recipe.smoothing, 0, std::nextafter(1.0, 0.0));
  visit("train.batch", recipe.batch, 1, many);
  visit("train.accumulate", recipe.accumulate, 1, many);
  visit("train.clip", recipe.clip, 0, many);
  visit("train.beta_1", recipe.adam.beta_1, 0, std::nextafter(1.0, 0.0));
  visit("train.beta_2", recipe.adam.beta_2, 0, std::nextafter(1.0, 0.0));
  visit("train.epsilon", recipe.adam.epsilon, 1e-30, many); // it keeps a division from 0
  visit("train.decay", recipe.adam.decay, 0, many);
  visit("train.rate", recipe.schedule.rate, 0, many);
  visit("train.warmup", recipe.schedule.warmup, 0, many);
  visit("train.decay_to", recipe.schedule.decay_to, 0, many);
  visit("train.seed", recipe.seed, 0, 4294967295.0);
  visit("train.steps", recipe.steps, 0, many);
}

constexpr const char* shape_key = "train.schedule";

std::string word_of(Schedule::Shape shape) {
  return shape == Schedule::Shape::linear ? "linear" : "warmup_root";
}

double number_in(const std::string& text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && stop == text.data() + text.size() ? value : std::nan("");
}

} // namespace

const std::vector<std::string>& recipe_names() {
  static const std::vector<std::string> names{"tiny", "small", "base"};
  return names;
}

std::string default_preset(const std::string& task) {
  return task == "copy" ? "tiny" : "small";
}

Recipe recipe_for(const std::string& task, const std::string& preset) {
  const Size* found = nullptr;
  for (const Size& size : sizes)
    if (preset == size.name) found = &size;
  if (!found) {
    const std::string near = nearest(preset, recipe_names()).value_or("");
    throw Error(ErrorKind::usage, fmt::format("there is no preset {} of a training", in_quotes(preset)),
                near.empty() ? "there are: tiny, small, base" : fmt::format("did you mean {}?", near));
  }
  Recipe recipe;
  recipe.task = task, recipe.preset = preset;
  recipe.config = config_of(*found);
  recipe.schedule = {Schedule::Shape::linear, found->rate, 60, 0, found->d_model};
  recipe.clip = 1;
  follow(recipe, task == "copy"      ? Measures{80, 400, 0.1, 0}
                 : task == "reverse" ? Measures{128, 1500, 0.1, 0.1}
                 : task == "pairs"   ? Measures{64, 1500, 0.1, 0.1}
                                     : Measures{128, 2000, 0, 0.1});
  return recipe;
}

std::map<std::string, std::string> metadata_of(const Recipe& recipe) {
  std::map<std::string, std::string> metadata{
      {"train.preset", recipe.preset},
      {"train.targets", recipe.targets == Targets::own ? "own" : "shuffled"},
      {shape_key, word_of(recipe.schedule.shape)}};
  if (!recipe.pairs_file.empty()) metadata["train.pairs"] = recipe.pairs_file;
  each_member(recipe, [&](const char* key, const auto& value, double, double) {
    metadata[key] = fmt::format("{}", value);
  });
  return metadata;
}

Recipe recipe_of(const std::map<std::string, std::string>& metadata, const Config& config,
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
  Recipe recipe;
  recipe.task = text("task");
  recipe.preset = text("train.preset");
  recipe.targets = one_of("train.targets", "own", "shuffled") ? Targets::own : Targets::shuffled;
  recipe.schedule.shape =
      one_of(shape_key, "linear", "warmup_root") ? Schedule::Shape::linear : Schedule::Shape::warmup_root;
  if (metadata.contains("train.pairs")) recipe.pairs_file = text("train.pairs");
  recipe.config = config;
  recipe.schedule.d_model = config.d_model;
  each_member(recipe, [&](const char* key, auto& value, double least, double most) {
    const double number = number_in(text(key));
    using Value = std::remove_reference_t<decltype(value)>;
    const bool whole = std::is_floating_point_v<Value> || number == std::floor(number);
    if (!(number >= least && number <= most) || !whole)
      refuse_file(path, fmt::format("the metadata give {} as {}", key, in_quotes(text(key))), hint);
    value = static_cast<Value>(number);
  });
  return recipe;
}

} // namespace tfx
