// What `tfx train` says of a training on pairs: what was trained how, the curve of the loss, answers to
// sources that were held out, and one of them with what the model looked at.

#include "cli/lesson/screen.hpp"
#include "cli/train/result.hpp"
#include "core/number.hpp"
#include "render/charts.hpp"
#include "train/training_file.hpp"

#include <algorithm>
#include <numeric>

namespace tfx {

namespace {

void add_recipe(Report& report, const TrainingState& state) {
  Values recipe;
  for (const auto& [name, value] : metadata_of(state.config)) recipe[name.substr(6)] = value;
  report.add("recipe", std::move(recipe));
  const ModelSpec& model = state.model.spec;
  report.add("shape.layers", Count{model.layers});
  report.add("shape.d_model", Count{model.d_model}), report.add("shape.d_ff", Count{model.d_ff});
  report.add("shape.heads", Count{model.heads});
  report.add("shape.src_vocab", Count{model.src_vocab}),
      report.add("shape.tgt_vocab", Count{model.tgt_vocab});
  report.add("step", Count{state.step});
}

/// Measurements that not every training has, each a column.
std::vector<std::pair<std::string, std::optional<double> Accuracy::*>>
measurements(const std::vector<Accuracy>& all) {
  std::vector<std::pair<std::string, std::optional<double> Accuracy::*>> had{
      {"loss", &Accuracy::loss}, {"bleu", &Accuracy::bleu}, {"chrf", &Accuracy::chrf}};
  std::erase_if(had, [&](const auto& one) {
    return std::ranges::none_of(all, [&](const Accuracy& at) { return (at.*one.second).has_value(); });
  });
  return had;
}

/// In the JSON document alone: a page has a handful of them.
ReportTable accuracies_table(const std::vector<Accuracy>& all) {
  ReportTable table{"accuracies", {"step", "right", "of"}, {}};
  const auto had = measurements(all);
  for (const auto& [name, member] : had) table.columns.push_back(name);
  for (const Accuracy& one : all) {
    table.rows.push_back({Count{one.step}, Count{one.right}, Count{one.of}});
    for (const auto& [name, member] : had) table.rows.back().push_back(or_none(one.*member));
  }
  return table;
}

/// The mean loss of the steps from one measurement to the next.
double mean_loss(const std::vector<double>& losses, std::uint64_t from, std::uint64_t to) {
  const auto begin = losses.begin();
  return std::accumulate(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to),
                         0.0) /
         static_cast<double>(to - from);
}

Sentence moment(std::uint64_t step) {
  return {"ui.moment", {{"step", with_separators(step)}}};
}

/// A row a measurement, at most a handful, the last among them.
void add_measured(Report& report, const TrainingState& state) {
  const std::vector<Accuracy>& all = state.accuracies;
  if (all.empty()) return;
  constexpr std::size_t shown = 8;
  const std::size_t every = (all.size() + shown - 1) / shown;
  const bool has_scores = all.back().bleu && all.back().chrf;
  ReportTable table{"", {"moment", "training_loss", "held_out_loss", "right"}, {}};
  if (has_scores) table.columns.insert(table.columns.end(), {"bleu", "chrf"});
  table.shown = table.columns;
  const auto rounded = [](const std::optional<double>& value, int decimals) {
    return value ? Cell(Rounded{*value, decimals}) : std::string();
  };
  std::uint64_t before = 0;
  for (std::size_t i = (all.size() - 1) % every; i < all.size(); i += every) {
    const Accuracy& one = all[i];
    table.rows.push_back({moment(one.step), rounded(mean_loss(state.losses, before, one.step), 4),
                          rounded(one.loss, 4), Share{one.share()}});
    if (has_scores)
      table.rows.back().push_back(rounded(one.bleu, 2)), table.rows.back().push_back(rounded(one.chrf, 2));
    before = one.step;
  }
  report.say("ui.accuracy");
  report.add(std::move(table));
  if (has_scores) report.say("ui.accuracy.scores");
}

/// How the attention to a source that was held out has formed.
void add_moments(Report& report, std::vector<AttentionMoment> moments) {
  Alignments all{{"ui.moments"}, {}};
  for (AttentionMoment& one : moments) {
    Step& step = one.alignment;
    step.name += "_" + std::to_string(one.step);
    all.pictures.push_back({step.name, 0, moment(one.step)});
    report.trace.drawn.insert(step.name); // early shares are small: a row's largest is full
    report.trace.steps.push_back(std::move(step));
  }
  report.add(std::move(all));
}

/// Where the time of the steps went: forward and backward through each module, and what stands around them.
void add_times(Report& report, const std::vector<PartTime>& times) {
  double all = 0;
  for (const PartTime& one : times) all += one.forward + one.backward;
  if (!(all > 0)) return;
  ReportTable table{
      "", {"part", "forward", "backward", "time_share"}, {"part", "forward", "backward", "time_share"}};
  const auto shown = [](double seconds) { return seconds > 0 ? Cell(Seconds{seconds}) : std::string(); };
  for (const PartTime& one : times)
    table.rows.push_back(
        {one.part, shown(one.forward), shown(one.backward), Share{(one.forward + one.backward) / all}});
  report.say("times");
  report.add(std::move(table));
}

} // namespace

Report training_report(Screen frame, TrainingResult result) {
  const TrainingState& state = result.state;
  Report report{std::move(frame), std::move(result.trace)};
  const bool is_quiet = report.frame.quiet, with_time = report.frame.with_time;
  report.has_cost = true, report.time = {{"speed"}};
  report.status = status_of(report.trace);
  report.add("task", state.config.task);
  add_recipe(report, state);
  report.say("task." + state.config.task);
  for (const char* key : {"control", "few", "model", "linear", "warmup_root", "clip", "resumed",
                          "nothing_left", "none_held_out"})
    report.say(key);
  report.add(Series{"losses", state.losses, {is_logarithmic(state.losses) ? "curve.logarithmic" : "curve"}});
  report.add(accuracies_table(state.accuracies));
  if (!is_quiet) {
    add_measured(report, state);
    if (const auto& sample = result.sample)
      report.say(sample->answer == sample->wanted ? "ui.sample.right" : "ui.sample.wrong",
                 {{"source", sample->source}, {"answer", sample->answer}, {"wanted", sample->wanted}});
    add_moments(report, std::move(result.moments));
    if (with_time) add_times(report, result.times);
  }
  if (with_time) {
    if (result.times.empty()) report.add("step_seconds", Values());
    for (const PartTime& one : result.times)
      report.add("step_seconds." + one.part, Values{{"forward", one.forward}, {"backward", one.backward}});
  }
  for (const char* key : {"next.decode", "next.out", "next.control", "next.by_heart", "next.no_warmup",
                          "next.diverges", "next.step"})
    report.onward.push_back({key});
  return report;
}

} // namespace tfx
