#include "cli/bench/options.hpp"

#include "cli/add_option.hpp"
#include "cli/options.hpp"
#include "text/suggest.hpp"

#include <algorithm>

namespace tfx {

using namespace bench;

void add_bench_options(CLI::App& command, BenchOptions& o) {
  const auto flag = [&](const char* name, bool& target) { return add_flag(command, name, target); };
  const auto count = [&](const char* name, std::optional<std::size_t>& target, std::size_t min = 1) {
    return add_count(command, name, target, min);
  };
  add_argument(command, "work", o.what, in_words("bench.work"));
  add_text(command, "--preset", o.preset, "NAME");
  count("--batch", o.batch);
  count("--seq", o.seq);
  count("--tgt-seq", o.tgt_seq);
  count("--max-tokens", o.max_tokens);
  count("--d-model", o.d_model);
  count("--heads", o.heads);
  flag("--causal", o.causal);
  flag("--no-causal", o.no_causal);
  add_count(command, "--layers", o.layers, 1, 1000);
  count("--d-ff", o.d_ff);
  count("--vocab", o.vocab, 2);
  add_seed(command, o.seed);
  count("--repeat", o.repeat);
  count("--warmup", o.warmup, 0);
  flag("--quick", o.quick);
  add_choice<std::string>(command, "--tutorial", {{"attention-block", "attention-block"}},
                          [&o](const std::string& id) { o.tutorial = id; });
  flag("--worker", o.worker);
  add_text(command, "--inputs", o.inputs, "DIR");
  add_text(command, "--outputs", o.outputs, "DIR");
  flag("--json", o.json);
  flag("--no-time", o.no_time);
}

namespace {

constexpr What works[] = {What::attention, What::model, What::train, What::decode};

std::optional<What> work_named(const std::string& name) {
  const auto found = std::ranges::find(works, name, [](What what) { return name_of(what); });
  return found == std::end(works) ? std::nullopt : std::optional(*found);
}

struct ShapeOption {
  const char* name;
  bool given;
  bool fits;
};

/// The first option that was given and does not fit.
void require_fitting(const std::vector<ShapeOption>& all, const std::string& what) {
  for (const ShapeOption& one : all)
    if (one.given && !one.fits) throw usage_error("bench_option", {{"name", one.name}, {"work", what}});
}

/// Options of a shape; `work` none: the ladder's.
std::vector<ShapeOption> shape_options(const BenchOptions& o, std::optional<What> work, bool any) {
  const bool attention = !work || work == What::attention, model = work && work != What::attention;
  return {{"--batch", o.batch.has_value(), any},
          {"--seq", o.seq.has_value(), any},
          {"--tgt-seq", o.tgt_seq.has_value(), any && work == What::model},
          {"--max-tokens", o.max_tokens.has_value(), any && work == What::decode},
          {"--d-model", o.d_model.has_value(), any},
          {"--heads", o.heads.has_value(), any},
          {"--causal", o.causal, any && attention},
          {"--no-causal", o.no_causal, any && attention},
          {"--layers", o.layers.has_value(), any && model},
          {"--d-ff", o.d_ff.has_value(), any && model},
          {"--vocab", o.vocab.has_value(), any && work.has_value()}};
}

/// --causal gives none: every preset is causal.
bool shape_is_given(BenchOptions o) {
  o.causal = false;
  return std::ranges::any_of(shape_options(o, {}, false), &ShapeOption::given);
}

/// The work that is asked for: by its name, by a preset's, or by a shape alone.
What work_of(const BenchOptions& o) {
  if (!o.preset) return work_named(o.what.value_or("attention")).value();
  const WorkPreset* const preset = find_preset(*o.preset);
  if (!preset) {
    std::vector<std::string> known;
    std::string list;
    for (const WorkPreset& one : presets())
      known.push_back(one.name), list += (list.empty() ? "" : ", ") + one.name;
    throw usage_error(
        "bench_preset",
        {{"name", *o.preset}, {"near", suggestion(nearest(*o.preset, known))}, {"names", list}});
  }
  if (o.what && work_named(*o.what) != preset->what)
    throw usage_error("contradict", {{"one", *o.what}, {"other", "--preset " + *o.preset}});
  return preset->what;
}

AttentionShape with(AttentionShape shape, const BenchOptions& o) {
  shape.batch = o.batch.value_or(shape.batch), shape.seq = o.seq.value_or(shape.seq);
  shape.d_model = o.d_model.value_or(shape.d_model), shape.heads = o.heads.value_or(shape.heads);
  shape.vocab = o.vocab.value_or(shape.vocab);
  if (o.no_causal) shape.mask = Mask::none;
  require_dividing(shape.heads, shape.d_model);
  return shape;
}

EncoderDecoderShape with(EncoderDecoderShape shape, What work, const BenchOptions& o) {
  Config& config = shape.config;
  shape.batch = o.batch.value_or(shape.batch);
  if (o.seq) shape.src = *o.seq, shape.tgt = work == What::train ? *o.seq - 1 : *o.seq;
  shape.tgt = o.tgt_seq.value_or(o.max_tokens.value_or(shape.tgt));
  if (shape.tgt == 0) throw usage_error("bench_train_seq", {});
  if (o.d_model) config.d_model = *o.d_model, config.d_ff = 4 * *o.d_model;
  config.d_ff = o.d_ff.value_or(config.d_ff);
  config.style.heads = o.heads.value_or(config.style.heads);
  config.layers = o.layers.value_or(config.layers);
  if (o.vocab) config.src_vocab = config.tgt_vocab = *o.vocab;
  config.max_len = std::max({config.max_len, shape.src, shape.tgt + 1});
  require_dividing(config.style.heads, config.d_model);
  return shape;
}

} // namespace

BenchWay bench_way(const BenchOptions& o) {
  if (o.causal && o.no_causal)
    throw usage_error("contradict", {{"one", "--causal"}, {"other", "--no-causal"}});
  const auto refuse_shapes = [&](const std::string& what) {
    require_fitting({{"the work", o.what.has_value(), false}}, what);
    require_fitting(shape_options(o, {}, false), what);
    require_fitting({{"--preset", o.preset.has_value(), false}, {"--quick", o.quick, false}}, what);
  };
  if (o.worker) {
    refuse_shapes("--worker");
    require_fitting({{"--tutorial", o.tutorial.has_value(), false},
                     {"--repeat", o.repeat.has_value(), false},
                     {"--warmup", o.warmup.has_value(), false},
                     {"--json", o.json, false},
                     {"--no-time", o.no_time, false}},
                    "--worker");
    return BenchWay::worker;
  }
  for (const auto& [name, given] :
       {std::pair("--inputs", o.inputs.has_value()), std::pair("--outputs", o.outputs.has_value())})
    if (given) throw usage_error("needs", {{"name", name}, {"others", "--worker"}});
  if (o.tutorial) {
    refuse_shapes("--tutorial");
    require_fitting({{"--no-time", o.no_time, false}}, "--tutorial");
    return BenchWay::tutorial;
  }
  if (o.what && *o.what != "ladder" && !work_named(*o.what)) {
    const std::vector<std::string> known{"attention", "model", "train", "decode", "ladder"};
    throw usage_error("bench_work", {{"name", *o.what}, {"near", suggestion(nearest(*o.what, known))}});
  }
  if (o.what == "ladder") {
    require_fitting(shape_options(o, {}, true), "ladder");
    require_fitting({{"--preset", o.preset.has_value(), false}}, "ladder");
    return BenchWay::ladder;
  }
  const What work = work_of(o);
  require_fitting(shape_options(o, work, true), name_of(work));
  require_fitting({{"--quick", o.quick, false}}, name_of(work));
  return BenchWay::cases;
}

std::vector<WorkPreset> cases_of(const BenchOptions& o) {
  const What work = work_of(o);
  if (!o.what && !o.preset && !shape_is_given(o)) return {*find_preset("A1"), *find_preset("A2")};
  WorkPreset one = o.preset ? *find_preset(*o.preset) : default_preset(work);
  if (shape_is_given(o)) one.name = name_of(work);
  if (auto* shape = std::get_if<AttentionShape>(&one.shape))
    *shape = with(*shape, o);
  else
    one.shape = with(std::get<EncoderDecoderShape>(one.shape), work, o);
  return {one};
}

AttentionShape ladder_shape(const BenchOptions& o) {
  AttentionShape usual;
  usual.batch = 1, usual.seq = o.quick ? 256 : 1024, usual.vocab = 1;
  return with(usual, o);
}

Repeats repeats_of(const BenchOptions& o, Repeats usual) {
  usual.runs = o.repeat ? o.repeat : usual.runs;
  usual.warmup = o.warmup.value_or(usual.warmup);
  return usual;
}

} // namespace tfx
