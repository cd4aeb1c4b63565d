// tfx cache: decoding with and without the keys and values of earlier steps.

#include "cli/add_option.hpp"
#include "cli/cache/comparison.hpp"
#include "cli/commands.hpp"
#include "cli/decode/trained_model.hpp"
#include "cli/lesson/save.hpp"
#include "cli/lesson/screen.hpp"
#include "lessons/run.hpp"

namespace tfx {

namespace {

struct CacheOptions {
  TrainedOptions trained;
  ShowOptions show;
};

ReportTable steps_table(const CacheComparison& comparison, const Vocabulary& words) {
  ReportTable table{.name = "steps",
                    .columns = {"id", "token", "cached.macs", "cached.formula", "cached.seconds",
                                "recomputed.macs", "recomputed.formula", "recomputed.seconds", "cache_bytes",
                                "difference"},
                    .shown = {"token", "cached.macs", "cached.formula", "recomputed.macs",
                              "recomputed.formula", "cache_bytes", "cached.seconds", "recomputed.seconds"},
                    .numbered = true};
  for (const auto& [token, cached, recomputed, bytes, difference] : comparison.steps)
    table.rows.push_back({Count{token}, words.tokens[token], Count{cached.executed}, Count{cached.by_formula},
                          Seconds{cached.seconds}, Count{recomputed.executed}, Count{recomputed.by_formula},
                          Seconds{recomputed.seconds}, Count{bytes}, difference});
  return table;
}

Report run(const CacheOptions& o, Context& context) {
  const TrainedModel trained = trained_model(o.trained);
  context.note(trained.notes);
  const std::string text = o.trained.text.value_or(example_text(trained.card));
  const TokenIds src = trained.card.src.encode(text);
  CacheComparison comparison =
      compare_cache(trained.model, trained.card, src, limits_of(o.trained, trained, src.size()));
  Report report{frame_of("cache"), std::move(comparison.trace)};
  report.frame.options = typed_again(trained_options(), o.trained);
  report.frame.with_time = !o.show.no_time;
  report.trace.facts["text"] = text;
  if (trained.weights == TrainedModel::WeightSource::drawn) report.trace.facts["preset"] = trained.name;
  report.add("model", trained.name);
  report.add("output", trained.card.tgt.decode(comparison.tokens));
  for (const char* key : {"intro", "drawn", "reads"}) report.say(key);
  report.add(steps_table(comparison, trained.card.tgt));
  report.say("formula");
  if (report.frame.with_time) {
    report.add("timed_runs", Count{comparison.timed_runs});
    report.say(comparison.timed_runs > 1 ? "times" : "times.once");
  }
  report.say("kept");
  report.next = {report.frame.next, "decode --no-cache" + report.frame.options};
  report.status = status_of(report.trace);
  return report;
}

} // namespace

Command cache_command() {
  return report_row<CacheOptions, run>("cache", [](CLI::App& command, CacheOptions& o, Context&) {
    add_options(command, trained_options(), o.trained);
    add_options(command, show_options(), o.show);
  });
}

} // namespace tfx
