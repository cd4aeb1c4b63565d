#include "cli/train/result.hpp"

#include "cli/options.hpp"
#include "core/number.hpp"
#include "model/counts.hpp"
#include "model/weights.hpp"
#include "render/charts.hpp"
#include "render/footer.hpp"
#include "render/heatmap.hpp"
#include "render/json.hpp"
#include "render/paper.hpp"
#include "text/utf8.hpp"
#include "train/training_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

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

std::string training_json(const TrainingState& state, const TrainingResult& result, bool with_time) {
  JsonWriter json;
  begin_command(json, "train");
  json.key("task"), json.value(state.config.task);
  json.key("recipe"), json.begin_object();
  for (const auto& [name, value] : metadata_of(state.config)) json.key(name.substr(6)), json.value(value);
  json.end_object();
  json.key("shape"), json.begin_object();
  const ModelSpec& config = state.model.spec;
  json.key("layers"), json.value(config.layers);
  json.key("d_model"), json.value(config.d_model);
  json.key("d_ff"), json.value(config.d_ff);
  json.key("heads"), json.value(config.heads);
  json.key("src_vocab"), json.value(config.src_vocab);
  json.key("tgt_vocab"), json.value(config.tgt_vocab);
  json.end_object();
  json.key("step"), json.value(static_cast<std::size_t>(state.step));
  json.key("losses"), json.value(state.losses);
  json.key("accuracies"), json.begin_array();
  for (const Accuracy& one : state.accuracies) {
    json.begin_object();
    json.key("step"), json.value(static_cast<std::size_t>(one.step));
    json.key("right"), json.value(one.right);
    json.key("of"), json.value(one.of);
    if (one.loss) json.key("loss"), json.value(*one.loss);
    if (one.bleu) json.key("bleu"), json.value(*one.bleu);
    if (one.chrf) json.key("chrf"), json.value(*one.chrf);
    json.end_object();
  }
  json.end_array();
  write_checks(json, result.trace);
  json.key("cost"), json.begin_object();
  write_cost(json, *result.trace.measured, with_time);
  json.end_object();
  if (with_time) {
    json.key("step_seconds"), json.begin_object();
    for (const PartTime& one : result.times) {
      json.key(one.part), json.begin_object();
      json.key("forward"), json.value(one.forward);
      json.key("backward"), json.value(one.backward);
      json.end_object();
    }
    json.end_object();
  }
  json.end_object();
  return json.take();
}

namespace {

constexpr std::size_t curve_height = 10, widest_curve = 100;

void write_curve(Paper& paper, const TrainingState& state) {
  if (state.losses.size() < 2) return;
  paper.paragraph(paper.word(is_logarithmic(state.losses) ? "curve.logarithmic" : "curve"));
  const std::size_t width = std::min(paper.style().width, widest_curve);
  for (const std::string& line : curve(state.losses, 1, width, curve_height, paper.style()).lines)
    paper.line(line);
  paper.line();
}

/// The mean loss of the steps from one measurement to the next.
double mean_loss(const std::vector<double>& losses, std::uint64_t from, std::uint64_t to) {
  const auto begin = losses.begin();
  return std::accumulate(begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to),
                         0.0) /
         static_cast<double>(to - from);
}

/// A row a measurement, at most a handful, the last among them.
void write_accuracies(Paper& paper, const TrainingState& state) {
  const std::vector<Accuracy>& all = state.accuracies;
  if (all.empty()) return;
  constexpr std::size_t shown = 8;
  const std::size_t every = (all.size() + shown - 1) / shown;
  Table table{{}, {}, Table::Last::number};
  for (const char* key : {"training_loss", "held_out_loss", "right"})
    table.headings.push_back(paper.column(key));
  const bool has_scores = all.back().bleu && all.back().chrf;
  if (has_scores) table.headings.insert(table.headings.end(), {paper.column("bleu"), paper.column("chrf")});
  std::uint64_t before = 0;
  const auto shown_loss = [](double loss) { return fmt::format("{:.4f}", loss); };
  for (std::size_t i = (all.size() - 1) % every; i < all.size(); i += every) {
    const Accuracy& one = all[i];
    table.rows.push_back({paper.ui("moment", {{"step", with_separators(one.step)}}),
                          {shown_loss(mean_loss(state.losses, before, one.step)),
                           one.loss ? shown_loss(*one.loss) : "", fmt::format("{:.1f} %", 100 * one.share())},
                          0,
                          false});
    const auto add_score = [&](const std::optional<double>& score) {
      table.rows.back().cells.push_back(score ? fmt::format("{:.2f}", *score) : "");
    };
    if (has_scores) add_score(one.bleu), add_score(one.chrf);
    before = one.step;
  }
  paper.paragraph(paper.ui("accuracy"));
  paper.table(table);
  if (has_scores) paper.paragraph(paper.ui("accuracy.scores"));
}

void write_sample(Paper& paper, const HeldOutSample& sample) {
  const std::string verdict = sample.answer == sample.wanted ? "sample.right" : "sample.wrong";
  paper.paragraph(paper.ui(verdict, {{"source", escape_controls(sample.source)},
                                     {"answer", escape_controls(sample.answer)},
                                     {"wanted", escape_controls(sample.wanted)}}));
}

void write_moments(Paper& paper, const std::vector<AttentionMoment>& moments) {
  if (moments.empty() || paper.style().picture == Picture::off) return;
  paper.paragraph(paper.ui("moments"));
  std::vector<TextBlock> pictures;
  for (const AttentionMoment& moment : moments)
    pictures.push_back(alignment_picture(
        moment.alignment, 0, paper.ui("moment", {{"step", with_separators(moment.step)}}), paper.style()));
  for (const std::string& line : place(pictures, paper.style().width)) paper.line(line);
  paper.line();
}

/// Where the time of the steps went: forward and backward through each module, and what stands around them.
void write_times(Paper& paper, const std::vector<PartTime>& times) {
  double all = 0;
  for (const PartTime& one : times) all += one.forward + one.backward;
  if (!(all > 0)) return;
  Table table{{}, {}, Table::Last::number};
  for (const char* key : {"forward", "backward", "time_share"}) table.headings.push_back(paper.column(key));
  const auto shown = [](double seconds) { return seconds > 0 ? format_seconds(seconds) : ""; };
  for (const PartTime& one : times)
    table.rows.push_back({one.part,
                          {shown(one.forward), shown(one.backward),
                           fmt::format("{:.1f} %", 100 * (one.forward + one.backward) / all)},
                          0,
                          false});
  paper.paragraph(paper.word("times"));
  paper.table(table);
}

} // namespace

std::string render_training(const TrainingResult& result, const Screen& screen, const Words& words,
                            const Style& style) {
  Paper paper(result.trace, words, style);
  write_title(paper, screen);
  paper.paragraph(paper.word("task." + result.state.config.task));
  for (const char* key : {"control", "few", "model", "linear", "warmup_root", "clip", "resumed",
                          "nothing_left", "none_held_out"})
    paper.paragraph(paper.word(key));
  if (!screen.quiet) {
    write_curve(paper, result.state);
    write_accuracies(paper, result.state);
    if (result.sample) write_sample(paper, *result.sample);
    write_moments(paper, result.moments);
    if (screen.with_time) write_times(paper, result.times);
    write_looks(paper);
  }
  write_checks(paper);
  const Cost& cost = *result.trace.measured;
  const std::string time = screen.with_time ? paper.word("speed").value_or("") : std::string();
  paper.row(paper.ui("cost"), amount(paper, cost) + (time.empty() ? "" : "   " + time));
  std::string name = paper.ui("next");
  for (const char* key : {"next.decode", "next.out", "next.control", "next.by_heart", "next.no_warmup",
                          "next.diverges", "next.step"})
    if (const auto text = paper.word(key)) paper.row(name, escape_controls(*text)), name.clear();
  return paper.take();
}

} // namespace tfx
