#include "cli/train/options.hpp"

#include "cli/add_option.hpp"
#include "cli/options.hpp"
#include "io/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tfx {

void add_train_options(CLI::App& command, TrainOptions& o) {
  const auto names = [](const std::vector<std::string>& list) {
    std::vector<std::pair<std::string, std::string>> choices;
    for (const std::string& name : list) choices.emplace_back(name, name);
    return choices;
  };
  std::vector<std::string> tasks = task_names();
  std::erase(tasks, "pairs"); // it has an option of its own
  const auto flag = [&](const char* name, bool& target) { return add_flag(command, name, target); };
  const std::vector<std::pair<std::string, Tokenizer>> tokenizers{{"words", Tokenizer::words},
                                                                  {"characters", Tokenizer::characters}};
  add_choice<std::string>(command, "--task", names(tasks), [&o](const std::string& name) { o.task = name; });
  add_text(command, "--pairs", o.pairs, "FILE.tsv");
  add_choice<Tokenizer>(command, "--src-tokens", tokenizers, [&o](Tokenizer one) { o.src_tokens = one; });
  add_choice<Tokenizer>(command, "--tgt-tokens", tokenizers, [&o](Tokenizer one) { o.tgt_tokens = one; });
  add_choice<std::string>(command, "--preset", names(training_preset_names()),
                          [&o](const std::string& name) { o.preset = name; });
  add_count(command, "--layers", o.layers, 1, 1000);
  add_count(command, "--d-model", o.d_model);
  add_count(command, "--heads", o.heads);
  add_count(command, "--d-ff", o.d_ff);
  add_choice<NormRule>(command, "--norm",
                       {{"annotated", NormRule::annotated}, {"standard", NormRule::standard}},
                       [&o](NormRule rule) { o.norm = rule; });
  const AddedOption first = flag("--norm-first", o.norm_first);
  flag("--norm-last", o.norm_last).excludes(first);
  add_count(command, "--steps", o.steps);
  add_count(command, "--batch", o.batch);
  add_count(command, "--accumulate", o.accumulate);
  add_text(command, "--lr", o.rate, "R");
  add_choice<Schedule::Curve>(command, "--schedule",
                              {{"warmup", Schedule::Curve::warmup_root}, {"linear", Schedule::Curve::linear}},
                              [&o](Schedule::Curve curve) { o.schedule = curve; });
  add_count(command, "--warmup", o.warmup, 0);
  add_count(command, "--decay-to", o.decay_to, 0);
  add_text(command, "--smoothing", o.smoothing, "S");
  add_text(command, "--dropout", o.dropout, "P");
  add_text(command, "--clip", o.clip, "NORM");
  add_text(command, "--weight-decay", o.weight_decay, "W");
  add_seed(command, o.seed);
  flag("--shuffle-targets", o.shuffle_targets);
  add_text(command, "--out", o.out, "FILE");
  add_text(command, "--weights-out", o.weights, "FILE");
  add_text(command, "--resume", o.resume, "FILE");
  add_count(command, "--save-every", o.save_every);
  add_count(command, "--measure-every", o.measure_every);
  add_count(command, "--held-out", o.held_out, 0, 100'000);
  add_text(command, "--log", o.log, "FILE.csv");
  flag("--quiet", o.quiet);
  flag("--json", o.json);
  flag("--no-time", o.no_time);
}

namespace {

/// The options that were given replace what `config` has.
void apply(TrainingConfig& config, const TrainOptions& o) {
  constexpr double max_number = 1e6;
  const auto number = [&](const char* name, const std::optional<std::string>& given, double& target) {
    if (given) target = parse_number(name, *given, 0, max_number);
  };
  const auto share = [&](const char* name, const std::optional<std::string>& given, double& target) {
    if (given) target = parse_share(name, *given);
  };
  Config& model = config.model;
  model.layers = o.layers.value_or(model.layers);
  if (o.d_model && *o.d_model != model.d_model)
    model.d_model = *o.d_model, model.d_ff = checked_product(4, *o.d_model, "d_ff");
  model.d_ff = o.d_ff.value_or(model.d_ff);
  model.style.heads = o.heads.value_or(model.style.heads);
  if (o.norm) model.style.norm.rule = *o.norm;
  if (o.norm_first) model.style.norm.placement = NormPlacement::pre_norm;
  if (o.norm_last) model.style.norm.placement = NormPlacement::post_norm;
  config.schedule.d_model = model.d_model;
  if (o.schedule) config.schedule.curve = *o.schedule;
  number("--lr", o.rate, config.schedule.rate);
  config.schedule.warmup = o.warmup.value_or(config.schedule.warmup);
  config.schedule.decay_to = o.decay_to.value_or(config.schedule.decay_to);
  config.steps = o.steps.value_or(config.steps);
  config.batch = o.batch.value_or(config.batch);
  config.accumulate = o.accumulate.value_or(config.accumulate);
  share("--smoothing", o.smoothing, config.smoothing);
  share("--dropout", o.dropout, config.dropout);
  number("--clip", o.clip, config.clip);
  number("--weight-decay", o.weight_decay, config.adam.decay);
  config.seed = o.seed.value_or(static_cast<std::uint32_t>(config.seed));
  if (o.shuffle_targets) config.targets = Targets::shuffled;
}

using Members = std::vector<std::pair<std::string, std::string>>;

/// The members of a training's configuration by name, those of its model first.
Members members(const TrainingConfig& config) {
  const Config& model = config.model;
  const NormStyle& norm = model.style.norm;
  Members all{{"task", config.task},
              {"layers", std::to_string(model.layers)},
              {"d_model", std::to_string(model.d_model)},
              {"d_ff", std::to_string(model.d_ff)},
              {"heads", std::to_string(model.style.heads)},
              {"norm", norm.rule == NormRule::standard ? "standard" : "annotated"},
              {"placement", norm.placement == NormPlacement::post_norm ? "last" : "first"}};
  const std::string prefix = "train.";
  for (const auto& [name, value] : metadata_of(config)) all.emplace_back(name.substr(prefix.size()), value);
  return all;
}

/// The log is CSV: a name that promises another format that tfx writes is a slip.
bool promises_another_format(const std::string& log) {
  constexpr std::array formats{".npy", ".npz", ".safetensors", ".json", ".html"};
  return std::ranges::any_of(formats, [&](const char* format) { return log.ends_with(format); });
}

} // namespace

void check_train_files(const TrainOptions& o) {
  for (const auto& [name, file] : {std::pair("--out", o.out), std::pair("--weights-out", o.weights)})
    if (file && !file->ends_with(".safetensors"))
      throw usage_error("safetensors", {{"name", name}, {"file", *file}});
  const std::vector<std::pair<const char*, std::optional<std::string>>> read{{"--resume", o.resume},
                                                                             {"--pairs", o.pairs}},
      written{{"--out", o.out}, {"--weights-out", o.weights}, {"--log", o.log}};
  for (std::size_t i = 0; i < written.size(); ++i) {
    const auto& [name, file] = written[i];
    const auto refuse_same = [&, &name = name, &file = file](const auto& one) {
      if (file && one.second && same_file(*one.second, *file))
        throw usage_error("contradict", {{"one", one.first}, {"other", name}});
    };
    for (const auto& one : read)
      if (i > 0 || one.first != read[0].first) refuse_same(one); // a training may be saved onto itself
    std::for_each_n(written.begin(), i, refuse_same);
  }
  if (o.log && promises_another_format(*o.log)) throw usage_error("log_kind", {{"file", *o.log}});
  // What stood there before a save is kept as FILE.prev.
  const std::optional<std::string> saved = o.out ? o.out : o.resume;
  for (const auto& [name, file] :
       {std::pair("--weights-out", o.weights), {"--log", o.log}, {"--pairs", o.pairs}})
    if (saved && file && same_file(predecessor_of(*saved), *file))
      throw usage_error("predecessor", {{"name", name}, {"file", *file}});
  if (o.save_every && !o.out && !o.resume)
    throw usage_error("needs", {{"name", "--save-every"}, {"others", "--out"}});
  if (o.measure_every && o.held_out == 0)
    throw usage_error("contradict", {{"one", "--measure-every"}, {"other", "--held-out 0"}});
}

TrainingConfig training_config_of(const TrainOptions& o) {
  if (o.pairs && o.task) throw usage_error("contradict", {{"one", "--pairs"}, {"other", "--task"}});
  if ((o.src_tokens || o.tgt_tokens) && !o.pairs)
    throw usage_error("needs",
                      {{"name", o.src_tokens ? "--src-tokens" : "--tgt-tokens"}, {"others", "--pairs"}});
  const std::string task = o.pairs ? "pairs" : o.task.value_or("copy");
  TrainingConfig config = training_config_for(task, o.preset.value_or(default_preset(task)));
  if (o.pairs) config.pairs_file = *o.pairs;
  apply(config, o);
  if (o.decay_to && config.schedule.curve != Schedule::Curve::linear)
    throw usage_error("needs", {{"name", "--decay-to"}, {"others", "--schedule linear"}});
  return config;
}

TrainingConfig resumed_config(const TrainingConfig& saved, const TrainOptions& o) {
  TrainingConfig config = saved;
  if (o.task) config.task = *o.task;
  if (o.preset) config.preset = *o.preset;
  if (o.pairs) config.pairs_file = *o.pairs;
  apply(config, o);
  const Members before = members(saved), now = members(config);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto& [name, value] = now[i];
    if (value == before[i].second || name == "steps") continue;
    if (name == "pairs") continue; // the file may have moved: its words are compared
    throw usage_error("resumed", {{"name", name}, {"had", before[i].second}, {"asked", value}});
  }
  return config;
}

std::unique_ptr<Task> task_of(const TrainingConfig& config, const TrainOptions& o) {
  return make_task(config.task, {config.pairs_file, o.src_tokens, o.tgt_tokens, config.targets});
}

std::string resume_command(const std::string& file, const TrainOptions& o, const GlobalOptions& global) {
  std::string command = "tfx train --resume " + quoted(file);
  const auto number = [&](const char* name, const auto& value) {
    if (value) command += fmt::format(" {} {}", name, *value);
  };
  number("--steps", o.steps);
  if (o.out && *o.out != file) command += " --out " + quoted(*o.out);
  if (o.weights) command += " --weights-out " + quoted(*o.weights);
  if (o.log) command += " --log " + quoted(*o.log);
  number("--save-every", o.save_every);
  number("--measure-every", o.measure_every);
  number("--held-out", o.held_out);
  number("--threads", global.threads);
  return command;
}

} // namespace tfx
