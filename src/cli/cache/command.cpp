// tfx cache: decoding with and without the keys and values of earlier steps.

#include "cli/add_option.hpp"
#include "cli/cache/screen.hpp"
#include "cli/commands.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "lessons/run.hpp"
#include "render/json.hpp"
#include "words/in_words.hpp"

#include <memory>

namespace tfx {

using namespace cache;

namespace {

struct CacheOptions {
  TrainedOptions trained;
  std::optional<std::string> save;
  bool json = false, no_time = false;
};

void write_cost(JsonWriter& json, const char* key, const StepCost& cost, const CacheOptions& o) {
  json.key(key);
  json.begin_object();
  json.key("macs"), json.value(static_cast<std::size_t>(cost.executed));
  json.key("formula"), json.value(static_cast<std::size_t>(cost.by_formula));
  if (!o.no_time) json.key("seconds"), json.value(cost.seconds);
  json.end_object();
}

std::string json_of(const Comparison& comparison, const TrainedModel& trained, const CacheOptions& o) {
  JsonWriter json;
  begin_command(json, "cache");
  json.key("model"), json.value(trained.name);
  json.key("output"), json.value(trained.card.tgt.decode(comparison.tokens));
  json.key("steps");
  json.begin_array();
  for (const ComparedStep& step : comparison.steps) {
    json.begin_object();
    json.key("id"), json.value(step.token);
    json.key("token"), json.value(trained.card.tgt.tokens[step.token]);
    write_cost(json, "cached", step.cached, o);
    write_cost(json, "recomputed", step.recomputed, o);
    json.key("cache_bytes"), json.value(static_cast<std::size_t>(step.cache_bytes));
    json.key("difference"), json.value(step.difference);
    json.end_object();
  }
  json.end_array();
  if (!o.no_time) json.key("timed_runs"), json.value(comparison.timed_runs);
  write_checks(json, comparison.trace);
  json.end_object();
  return json.take();
}

void run(const CacheOptions& o, Context& context) {
  const TrainedModel trained = trained_model(o.trained);
  context.note(trained.notes);
  const std::string text = o.trained.text.value_or(example_text(trained.card));
  const TokenIds src = trained.card.src.encode(text);
  Comparison comparison =
      compare(trained.model, trained.card, src, limits_of(o.trained, trained, src.size()));
  Trace& trace = comparison.trace;
  context.status = status_of(trace);
  trace.facts["model"] = trained.name, trace.facts["text"] = text;
  trace.facts["output"] = trained.card.tgt.decode(comparison.tokens);
  if (trained.weights == TrainedModel::WeightSource::drawn) trace.facts["preset"] = trained.name;
  Screen screen = frame_of("cache");
  screen.options = typed_again(trained_options(), o.trained);
  screen.with_time = !o.no_time;
  if (screen.with_time && comparison.timed_runs > 1)
    trace.facts["timed_runs"] = std::to_string(comparison.timed_runs);
  else if (screen.with_time)
    trace.facts["timed_once"] = std::string(); // picks a sentence
  const auto json = [&] { return json_of(comparison, trained, o) + "\n"; };
  if (o.save) save_trace(trace, *o.save, screen, context, json);
  if (o.json) {
    context.out = json();
    return;
  }
  context.out =
      render_cache(comparison, trained.card, screen, words_in(find_lesson("cache").folder), context.style());
}

} // namespace

void add_cache_command(CLI::App& app, Context& context) {
  using O = CacheOptions;
  const auto options = std::make_shared<O>();
  const auto start = [&context, options] { run(*options, context); };
  add_command(
      app, context, "cache", title_in(find_lesson("cache").folder), start, [options](CLI::App& command) {
        add_options(command, trained_options(), options->trained);
        add_options<O>(
            command,
            {{"--json", &O::json}, {"--no-time", &O::no_time}, {"--save", &O::save, value::text("FILE")}},
            *options);
      });
}

} // namespace tfx
