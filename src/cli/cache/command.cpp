#include "cli/cache/command.hpp"

#include "cli/add_option.hpp"
#include "cli/commands.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "core/number.hpp"
#include "lessons/run.hpp"
#include "render/footer.hpp"
#include "render/json.hpp"
#include "render/paper.hpp"
#include "text/display_width.hpp"
#include "text/utf8.hpp"
#include "words/in_words.hpp"

#include <memory>

namespace tfx {

using namespace cache;

namespace {

Table steps_table(const Paper& paper, const Comparison& comparison, const ModelCard& card,
                  const Screen& screen) {
  const auto column = [&](const char* key) { return paper.column(key); };
  Table table{{column("cached"), column("cached_formula"), column("recomputed"), column("recomputed_formula"),
               column("bytes")},
              {},
              Table::Last::number};
  if (screen.with_time)
    table.headings.insert(table.headings.end(), {column("cached_time"), column("recomputed_time")});
  const std::size_t digits = std::to_string(comparison.steps.size()).size();
  for (std::size_t t = 0; t < comparison.steps.size(); ++t) {
    const ComparedStep& step = comparison.steps[t];
    std::vector<std::string> cells;
    for (const StepCost* way : {&step.cached, &step.recomputed})
      cells.insert(cells.end(), {with_separators(way->executed), with_separators(way->by_formula)});
    cells.push_back(with_separators(step.cache_bytes));
    if (screen.with_time)
      cells.insert(cells.end(),
                   {format_seconds(step.cached.seconds), format_seconds(step.recomputed.seconds)});
    table.rows.push_back(
        {pad_left(std::to_string(t + 1), digits) + "  " + escape_controls(card.tgt.tokens[step.token]), cells,
         0, false});
  }
  return table;
}

} // namespace

std::string render_cache(const Comparison& comparison, const ModelCard& card, const Screen& screen,
                         const Words& words, const Style& style) {
  Paper paper(comparison.trace, words, style);
  write_title(paper, screen);
  for (const char* key : {"intro", "drawn", "reads"}) paper.paragraph(paper.word(key));
  paper.table(steps_table(paper, comparison, card, screen));
  for (const char* key : {"formula", "times", "times.once", "kept"}) paper.paragraph(paper.word(key));
  write_looks(paper);
  write_checks(paper);
  paper.row(paper.ui("cost"), paper.word("cost").value_or(""));
  paper.row(paper.ui("next"), (screen.next.empty() ? "" : "tfx " + screen.next + "    ") +
                                  "tfx decode --no-cache" + screen.options);
  return paper.take();
}

// tfx cache: decoding with and without the keys and values of earlier steps.

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
