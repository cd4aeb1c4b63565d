#include "cli/train/options.hpp"

#include "cli/lesson/save.hpp"
#include "cli/options.hpp"
#include "cli/train/result.hpp"
#include "core/choices.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "text/byte_pairs.hpp"
#include "text/names.hpp"
#include "tokens/byte_pair_files.hpp"

#include <algorithm>
#include <array>

namespace tfx {

namespace {

bool is_anew(const Start& start) {
  return start == Start::anew;
}

std::string written(const TokenRule& rule) {
  return rule.tokenizer == Tokenizer::bpe ? std::string(merges_of) + rule.merges : to_string(rule.tokenizer);
}

/// Those of them that a side, or a text, is cut by.
Value<TokenRule> token_rule(std::vector<std::string> rules) {
  std::ranges::replace(rules, to_string(Tokenizer::bpe), written({Tokenizer::bpe, "FILE"}));
  const std::string all = join(rules, "|");
  const auto read = [all, rules](const std::string& option, const std::string& text) -> TokenRule {
    if (text.starts_with(merges_of) && text.size() > merges_of.size())
      return {Tokenizer::bpe, text.substr(merges_of.size())};
    const auto named = tokenizer_named(text);
    if (!named || named == Tokenizer::bpe || !std::ranges::count(rules, text))
      throw usage_error("choice", {{"name", option}, {"choices", all}, {"text", text}});
    return {*named};
  };
  return {all, read, written};
}

Value<TokenRule> side_rule() {
  std::vector<std::string> rules = tokenizer_names();
  std::erase(rules, to_string(Tokenizer::ids)); // no text is written in them
  return token_rule(std::move(rules));
}

Value<TokenRule> text_rule() {
  return token_rule({to_string(Tokenizer::characters), to_string(Tokenizer::bpe)});
}

std::shared_ptr<const BytePairs> pairs_of(const std::optional<TokenRule>& rule) {
  if (!rule || rule->tokenizer != Tokenizer::bpe) return nullptr;
  return std::make_shared<BytePairs>(read_merges(read_text(rule->merges), rule->merges));
}

/// What a configuration says of its data.
TaskOptions task_options_of(const TrainingConfig& config) {
  TaskOptions options{.pairs_file = config.pairs_file, .validation_file = config.validation_file};
  options.min_count = config.min_count;
  if (config.task == "corpus") {
    CorpusRule rule = config.corpus;
    rule.context = config.model.max_len, rule.min_count = config.min_count, rule.seed = config.seed;
    options.corpus = std::make_shared<CorpusRule>(std::move(rule));
  }
  options.targets = config.targets, options.examples = config.examples, options.draws = config.draws;
  return options;
}

} // namespace

const std::vector<Option<TrainOptions, Start>>& train_options() {
  using O = TrainOptions;
  using Row = Option<O, Start>;
  constexpr double max_number = 1e6;
  const TrainingConfig usual;
  std::vector<std::string> tasks = task_names();
  for (const char* own : {"pairs", "corpus"}) std::erase(tasks, own); // they have options of their own
  const std::vector<std::pair<std::string, DType>> dtypes{{"f32", DType::f32}, {"f16", DType::f16}};
  static const std::vector<Row> table{
      Row("--task", &O::task, value::one_of(tasks), usual.task).when(is_anew),
      Row("--pairs", &O::pairs, value::text("FILE.tsv")).when(is_anew).without({"--task"}),
      Row("--validation", &O::validation, value::text("FILE.tsv")).when(is_anew),
      Row("--src-tokens", &O::src_tokens, side_rule()).when(is_anew),
      Row("--tgt-tokens", &O::tgt_tokens, side_rule()).when(is_anew),
      Row("--corpus", &O::corpus, value::text("FILE")).when(is_anew).without({"--task", "--pairs"}),
      Row("--documents", &O::documents, value::choice(documents_words()), usual.corpus.documents)
          .when(is_anew)
          .beside({"--corpus", "--resume"}),
      Row("--tokens", &O::tokens, text_rule(), TokenRule{Tokenizer::characters})
          .when(is_anew)
          .beside({"--corpus", "--resume"}),
      Row("--context", &O::context, value::count(2, 100'000)).when(is_anew).beside({"--corpus", "--resume"}),
      Row("--min-count", &O::min_count, value::count(), usual.min_count).when(is_anew),
      Row("--preset", &O::preset, value::one_of(training_preset_names())).when(is_anew),
      Row("--layers", &O::layers, value::count(1, 1000)).when(is_anew),
      Row("--d-model", &O::d_model, value::count()).when(is_anew),
      Row("--heads", &O::heads, value::count()).when(is_anew),
      Row("--d-ff", &O::d_ff, value::count()).when(is_anew),
      Row("--norm", &O::norm, value::choice(page_norm_words()), usual.model.norm.rule).when(is_anew),
      Row("--norm-first", &O::placement, NormPlacement::pre_norm).when(is_anew),
      Row("--norm-last", &O::placement, NormPlacement::post_norm).when(is_anew).without({"--norm-first"}),
      {"--steps", &O::steps, value::count()},
      Row("--batch", &O::batch, value::count()).when(is_anew),
      Row("--accumulate", &O::accumulate, value::count(), usual.accumulate).when(is_anew),
      Row("--lr", &O::rate, value::number("R", 0, max_number)).when(is_anew),
      Row("--schedule", &O::schedule, value::choice(curves())).when(is_anew),
      Row("--warmup", &O::warmup, value::count(0)).when(is_anew),
      Row("--decay-to", &O::decay_to, value::count(0)).when(is_anew),
      Row("--smoothing", &O::smoothing, value::share("S")).when(is_anew),
      Row("--dropout", &O::dropout, value::share("P")).when(is_anew),
      Row("--clip", &O::clip, value::number("NORM", 0, max_number)).when(is_anew),
      Row("--weight-decay", &O::weight_decay, value::number("W", 0, max_number)).when(is_anew),
      Row("--seed", &O::seed, value::seed(), static_cast<std::uint32_t>(usual.seed)).when(is_anew),
      Row("--shuffle-targets", &O::shuffle_targets).when(is_anew).without({"--corpus"}),
      Row("--examples", &O::examples, value::count(1, 10'000)).when(is_anew).without({"--corpus"}),
      {"--out", &O::out, value::text("FILE")},
      {"--weights-out", &O::weights, value::text("FILE")},
      Row("--weights-dtype", &O::weights_dtype, value::choice(dtypes), DType::f32).beside({"--weights-out"}),
      Row("--resume", &O::resume, value::text("FILE")).when(is_anew),
      Row("--save-every", &O::save_every, value::count()).beside({"--out", "--resume"}),
      {"--measure-every", &O::measure_every, value::count()},
      {"--held-out", &O::held_out, value::count(0, 100'000), usual_held_out},
      {"--log", &O::log, value::text("FILE.csv")},
      Row("--quiet", &O::quiet).when(is_anew),
      Row("--json", &O::json).when(is_anew),
      Row("--no-time", &O::no_time).when(is_anew),
      Row("--save", &O::save, value::text("FILE")).described("report--save")};
  return table;
}

namespace {

/// The options that were given replace what `config` has.
void apply(TrainingConfig& config, const TrainOptions& o) {
  ModelSpec& model = config.model;
  model.resize(resized(model.sizes(), {o.layers, o.d_model, o.d_ff, o.heads}));
  model.max_len = o.context.value_or(model.max_len);
  config.corpus.documents = o.documents.value_or(config.corpus.documents);
  model.norm.rule = o.norm.value_or(model.norm.rule);
  model.norm.placement = o.placement.value_or(model.norm.placement);
  config.schedule.d_model = model.d_model;
  if (o.schedule) config.schedule.curve = *o.schedule;
  config.schedule.rate = o.rate.value_or(config.schedule.rate);
  config.schedule.warmup = o.warmup.value_or(config.schedule.warmup);
  config.schedule.decay_to = o.decay_to.value_or(config.schedule.decay_to);
  config.steps = o.steps.value_or(config.steps);
  config.batch = o.batch.value_or(config.batch);
  config.accumulate = o.accumulate.value_or(config.accumulate);
  config.smoothing = o.smoothing.value_or(config.smoothing);
  config.dropout = o.dropout.value_or(config.dropout);
  config.clip = o.clip.value_or(config.clip);
  config.adam.decay = o.weight_decay.value_or(config.adam.decay);
  config.seed = o.seed.value_or(static_cast<std::uint32_t>(config.seed));
  config.examples = o.examples.value_or(config.examples);
  config.min_count = o.min_count.value_or(config.min_count);
  if (o.shuffle_targets) config.targets = Targets::shuffled;
}

using Members = std::vector<std::pair<std::string, std::string>>;

/// The members of a training's configuration by name, those of its model first.
Members members(const TrainingConfig& config) {
  const ModelSpec& model = config.model;
  Members all{{"task", config.task},
              {"layers", std::to_string(model.layers)},
              {"d_model", std::to_string(model.d_model)},
              {"d_ff", std::to_string(model.d_ff)},
              {"heads", std::to_string(model.heads)},
              {"context", std::to_string(model.max_len)},
              {"norm", word_of(norm_words(), model.norm.rule)},
              {"placement", word_of(placement_words(), model.norm.placement)}};
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
  std::vector<std::pair<const char*, std::optional<std::string>>> read{
      {"--resume", o.resume}, {"--pairs", o.pairs}, {"--validation", o.validation}};
  for (const std::string& file : corpus_files(o.corpus, o.more_files)) read.emplace_back("--corpus", file);
  for (const auto& [name, rule] :
       {std::pair("--tokens", &o.tokens), {"--src-tokens", &o.src_tokens}, {"--tgt-tokens", &o.tgt_tokens}})
    if (*rule && (*rule)->tokenizer == Tokenizer::bpe) read.emplace_back(name, (*rule)->merges);
  const std::vector<std::pair<const char*, std::optional<std::string>>> written{
      {"--out", o.out}, {"--weights-out", o.weights}, {"--log", o.log}, {"--save", o.save}};
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
  std::vector<std::pair<const char*, std::optional<std::string>>> others = read;
  others.erase(others.begin()); // a training may be resumed from what was there before
  others.insert(others.end(), {{"--weights-out", o.weights}, {"--log", o.log}, {"--save", o.save}});
  for (const auto& [name, file] : others)
    if (saved && file && same_file(predecessor_of(*saved), *file))
      throw usage_error("predecessor", {{"name", name}, {"file", *file}});
  if (o.save) require_page(*o.save);
  if (o.validation && o.validation->empty()) read_file(""); // refused as any file that there is not
  if (o.measure_every && o.held_out == 0)
    throw usage_error("contradict", {{"one", "--measure-every"}, {"other", "--held-out 0"}});
}

TrainingConfig training_config_of(const TrainOptions& o) {
  for (const auto& [name, given] : {std::pair("--src-tokens", o.src_tokens.has_value()),
                                    {"--tgt-tokens", o.tgt_tokens.has_value()},
                                    {"--validation", o.validation.has_value()}})
    if (given && !o.pairs) throw usage_error("needs", {{"name", name}, {"others", "--pairs"}});
  if (o.min_count && !o.pairs && !o.corpus)
    throw usage_error("needs", {{"name", "--min-count"}, {"others", "--pairs, --corpus"}});
  const std::string task = o.pairs ? "pairs" : o.corpus ? "corpus" : o.task.value_or("copy");
  TrainingConfig config = training_config_for(task, o.preset.value_or(default_preset(task)));
  if (o.pairs) config.pairs_file = *o.pairs;
  if (o.corpus) config.corpus.files = corpus_files(o.corpus, o.more_files);
  if (o.validation) config.validation_file = *o.validation;
  if (o.schedule == Schedule::Curve::warmup_root)
    config.schedule.rate = Schedule{}.rate; // presets' are linear's
  apply(config, o);
  Schedule& schedule = config.schedule;
  if (o.decay_to && schedule.curve == Schedule::Curve::warmup_root)
    throw usage_error("needs", {{"name", "--decay-to"}, {"others", "--schedule linear, cosine"}});
  if (o.steps && schedule.curve == Schedule::Curve::cosine) { // half a wave is a training's whole
    if (!o.decay_to) schedule.decay_to = config.steps;
    if (!o.warmup) schedule.warmup = std::min<std::uint64_t>(schedule.warmup, config.steps / 10);
  }
  if (config.corpus.reading == Reading::documents) // microgpt's alphabet is all that its text holds
    for (const auto& [name, given] :
         {std::pair("--min-count", o.min_count.has_value()), {"--tokens", o.tokens.has_value()}})
      if (given) throw usage_error("needs", {{"name", name}, {"others", "--preset gpt-micro, llama-micro"}});
  return config;
}

TrainingConfig resumed_config(const TrainingConfig& saved, const ModelCard& card, const TrainOptions& o) {
  TrainingConfig config = saved;
  if (o.task) config.task = *o.task;
  if (o.pairs) config.task = "pairs";
  if (o.corpus) config.task = "corpus";
  if (config.task != saved.task)
    throw usage_error("resumed", {{"name", "task"}, {"had", saved.task}, {"asked", config.task}});
  if (o.preset) config.preset = *o.preset;
  if (o.pairs) config.pairs_file = *o.pairs;
  if (o.corpus) config.corpus.files = corpus_files(o.corpus, o.more_files);
  if (o.validation && saved.validation_file.empty())
    throw usage_error("resumed", {{"name", "validation"}, {"had", "—"}, {"asked", *o.validation}});
  if (o.validation) config.validation_file = *o.validation;
  apply(config, o);
  const Members before = members(saved), now = members(config);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto& [name, value] = now[i];
    if (value == before[i].second || name == "steps") continue;
    if (name == "pairs" || name == "validation" || name == "corpus")
      continue; // files may have moved: the words are compared
    throw usage_error("resumed", {{"name", name}, {"had", before[i].second}, {"asked", value}});
  }
  const auto same_tokens = [](const char* name, const Vocabulary& had,
                              const std::optional<TokenRule>& asked) {
    if (!asked) return;
    const auto pairs = pairs_of(asked);
    const bool same_merges = !pairs || (had.byte_pairs() && had.byte_pairs()->merges() == pairs->merges());
    if (asked->tokenizer != had.tokenizer || !same_merges)
      throw usage_error("resumed",
                        {{"name", name}, {"had", to_string(had.tokenizer)}, {"asked", written(*asked)}});
  };
  same_tokens("--src-tokens", card.src, o.src_tokens);
  same_tokens("--tgt-tokens", card.tgt, o.tgt_tokens);
  same_tokens("--tokens", card.tgt, o.tokens);
  return config;
}

std::unique_ptr<Task> task_of(const TrainingConfig& config, const TrainOptions& o) {
  TaskOptions options = task_options_of(config);
  if (o.src_tokens) options.src_tokens = o.src_tokens->tokenizer;
  if (o.tgt_tokens) options.tgt_tokens = o.tgt_tokens->tokenizer;
  options.src_byte_pairs = pairs_of(o.src_tokens);
  options.tgt_byte_pairs = pairs_of(config.task == "corpus" ? o.tokens : o.tgt_tokens);
  return make_task(config.task, options);
}

std::unique_ptr<Task> task_of(const TrainingConfig& config, const ModelCard& card) {
  TaskOptions options = task_options_of(config);
  if (config.task == "pairs") { // the other tasks are cut in one way only
    options.src_tokens = card.src.tokenizer, options.tgt_tokens = card.tgt.tokenizer;
    options.src_byte_pairs = card.src.byte_pairs();
  }
  options.tgt_byte_pairs = card.tgt.byte_pairs();
  return make_task(config.task, options);
}

std::string resume_command(const std::string& file, const TrainOptions& options,
                           const GlobalOptions& global) {
  TrainOptions left = fitting(train_options(), options, Start::from_checkpoint);
  if (left.out == file) left.out.reset();
  GlobalOptions threads;
  threads.threads = global.threads;
  return "tfx train --resume " + shell_quoted(file) + typed_again(train_options(), left) +
         typed_again(global_options(), threads);
}

} // namespace tfx
