#include "cli/bench/options.hpp"

#include "cli/options.hpp"
#include "text/names.hpp"

#include <algorithm>

namespace tfx {

using namespace bench;

namespace {

bool is_timed(const BenchUse& use) {
  return use.way == BenchWay::cases || use.way == BenchWay::ladder;
}
bool is_cases(const BenchUse& use) {
  return use.way == BenchWay::cases;
}
bool is_ladder(const BenchUse& use) {
  return use.way == BenchWay::ladder;
}
/// Whose shape is tokens of a width.
bool has_width(const BenchUse& use) {
  return is_timed(use) || use.way == BenchWay::lesson;
}
bool is_attention(const BenchUse& use) {
  return is_ladder(use) || (is_cases(use) && use.work == What::attention);
}
bool has_layers(const BenchUse& use) {
  return is_cases(use) && use.work != What::attention;
}
bool has_target(const BenchUse& use) {
  return is_cases(use) && use.work == What::model && use.family == Stacks::both;
}
bool writes(const BenchUse& use) {
  return is_cases(use) && use.work == What::decode;
}
bool has_prompt(const BenchUse& use) {
  return writes(use) && use.family == Stacks::decoder;
}
bool has_screen(const BenchUse& use) {
  return use.way != BenchWay::worker;
}

bool is_warmed(const BenchUse& use) {
  return has_screen(use) && use.way != BenchWay::lesson;
}

constexpr const char *ladder = "ladder", *lesson = "lesson";

} // namespace

std::vector<std::string> bench_works() {
  std::vector<std::string> names;
  for (const auto& [name, work] : works()) names.push_back(name);
  names.insert(names.end(), {ladder, lesson});
  return names;
}

const std::vector<Option<BenchShape, BenchUse>>& bench_shape_options() {
  using O = BenchShape;
  using Row = Option<O, BenchUse>;
  static const std::vector<Row> table{
      Row("--preset", &O::preset, value::text("NAME"))
          .when(is_cases)
          .described("bench--preset", {{"names", listed(work_preset_names())}}),
      Row("--family", &O::family, value::choice(families()), Stacks::both).when(has_layers),
      Row("--batch", &O::batch, value::count()).when(is_timed),
      Row("--seq", &O::seq, value::count()).when(has_width),
      Row("--tgt-seq", &O::tgt_seq, value::count()).when(has_target),
      Row("--prompt", &O::prompt, value::count()).when(has_prompt),
      Row("--max-tokens", &O::max_tokens, value::count()).when(writes),
      Row("--d-model", &O::d_model, value::count()).when(has_width),
      Row("--heads", &O::heads, value::count()).when(is_timed),
      Row("--causal", &O::causal, true).when(is_attention),
      Row("--no-causal", &O::causal, false).when(is_attention).without({"--causal"}),
      Row("--layers", &O::layers, value::count(1, 1000)).when(has_layers),
      Row("--d-ff", &O::d_ff, value::count()).when(has_layers),
      Row("--vocab", &O::vocab, value::count(2)).when(is_cases),
      Row("--dtype", &O::weights, value::choice(weight_types()), TransformerShape().weights).when(writes)};
  return table;
}

const std::vector<Option<BenchOptions, BenchUse>>& bench_options() {
  using O = BenchOptions;
  using Row = Option<O, BenchUse>;
  static const std::vector<Row> table{
      {"--seed", &O::seed, value::seed(), 42},
      Row("--repeat", &O::repeat, value::count()).when(has_screen),
      Row("--warmup", &O::warmup, value::count(0), Repeats().warmup).when(is_warmed),
      Row("--quick", &O::quick).when(is_ladder),
      Row("--tutorial", &O::tutorial, value::one_of({"attention-block"})).when(has_screen),
      {"--worker", &O::worker},
      Row("--inputs", &O::inputs, value::text("DIR")).beside({"--worker"}),
      Row("--outputs", &O::outputs, value::text("DIR")).beside({"--worker"}),
      Row("--json", &O::json).when(has_screen),
      Row("--no-time", &O::no_time).when(is_timed),
      Row("--save", &O::save, value::text("FILE")).when(has_screen).described("report--save")};
  return table;
}

namespace {

std::optional<What> work_named(const std::string& name) {
  const auto found = std::ranges::find(works(), name, &std::pair<std::string, What>::first);
  return found == works().end() ? std::nullopt : std::optional(found->second);
}

/// What the options are to fit, as the refusal names it.
void require_fitting(const BenchOptions& o, const BenchUse& use, const std::string& name) {
  const auto refuse = [&](const auto* option) {
    if (option) throw usage_error("bench_option", {{"name", option->name}, {"work", name}});
  };
  refuse(first_unfit(bench_shape_options(), o.shape, use));
  refuse(first_unfit(bench_options(), o, use));
}

/// --causal gives none: every preset is causal.
bool shape_is_given(BenchShape shape) {
  shape.preset.reset(), shape.family.reset();
  if (shape.causal == true) shape.causal.reset();
  return shape != BenchShape();
}

/// The work that is asked for: by its name, by a preset's, or by a shape alone.
What work_of(const BenchOptions& o) {
  if (!o.shape.preset) return work_named(o.what.value_or("attention")).value();
  const WorkPreset* const preset = find_preset(*o.shape.preset);
  if (!preset) {
    const std::vector<std::string> known = work_preset_names();
    throw usage_error("bench_preset", {{"name", *o.shape.preset},
                                       {"near", suggestion(nearest(*o.shape.preset, known))},
                                       {"names", listed(known)}});
  }
  if (o.what && work_named(*o.what) != preset->what)
    throw usage_error("contradict", {{"one", *o.what}, {"other", "--preset " + *o.shape.preset}});
  return preset->what;
}

/// The family of the work that is asked for: by its name, or by a preset's.
Stacks family_asked_for(const BenchOptions& o) {
  const std::optional<Stacks> of_preset =
      o.shape.preset ? family_of(*find_preset(*o.shape.preset)) : std::nullopt;
  if (of_preset && o.shape.family && o.shape.family != of_preset)
    throw usage_error("contradict", {{"one", "--family " + word_of(families(), *o.shape.family)},
                                     {"other", "--preset " + *o.shape.preset}});
  return of_preset.value_or(o.shape.family.value_or(Stacks::both));
}

AttentionShape with(AttentionShape shape, const BenchShape& o) {
  shape.batch = o.batch.value_or(shape.batch), shape.seq = o.seq.value_or(shape.seq);
  shape.d_model = o.d_model.value_or(shape.d_model), shape.heads = o.heads.value_or(shape.heads);
  shape.vocab = o.vocab.value_or(shape.vocab);
  if (o.causal == false) shape.mask = Mask::none;
  require_dividing(shape.heads, shape.d_model);
  return shape;
}

TransformerShape with(TransformerShape shape, What work, const BenchShape& o) {
  ModelSpec& spec = shape.spec;
  shape.batch = o.batch.value_or(shape.batch);
  if (o.seq) shape.src = *o.seq, shape.tgt = work == What::train ? *o.seq - 1 : *o.seq;
  if (o.seq && work == What::decode && !spec.has_encoder()) shape.prompt = *o.seq;
  shape.prompt = o.prompt.value_or(shape.prompt);
  shape.tgt = o.tgt_seq.value_or(o.max_tokens.value_or(shape.tgt));
  shape.weights = o.weights.value_or(shape.weights);
  if (shape.tgt == 0) throw usage_error("bench_train_seq", {});
  spec.resize(resized(spec.sizes(), {o.layers, o.d_model, o.d_ff, o.heads}));
  if (o.vocab) spec.src_vocab = spec.tgt_vocab = *o.vocab;
  spec.max_len = std::max({spec.max_len, shape.src, shape.prompt + shape.tgt});
  require_dividing(spec.heads, spec.d_model);
  return shape;
}

} // namespace

BenchWay bench_way(const BenchOptions& o) {
  if (o.worker || o.tutorial) {
    const BenchWay way = o.worker ? BenchWay::worker : BenchWay::tutorial;
    const std::string name = o.worker ? "--worker" : "--tutorial";
    if (o.what) throw usage_error("bench_option", {{"name", *o.what}, {"work", name}});
    require_fitting(o, {way}, name);
    return way;
  }
  for (const auto& [name, way] : {std::pair(ladder, BenchWay::ladder), std::pair(lesson, BenchWay::lesson)})
    if (o.what == name) {
      require_fitting(o, {way}, name);
      return way;
    }
  if (o.what && !work_named(*o.what)) {
    const std::vector<std::string> known = bench_works();
    throw usage_error(
        "bench_work",
        {{"name", *o.what}, {"near", suggestion(nearest(*o.what, known))}, {"names", listed(known)}});
  }
  const What work = work_of(o);
  const Stacks family = family_asked_for(o);
  require_fitting(o, {BenchWay::cases, work, family},
                  name_of(work) + (family == Stacks::decoder ? " --family decoder" : ""));
  return BenchWay::cases;
}

std::vector<WorkPreset> cases_of(const BenchOptions& o) {
  const What work = work_of(o);
  if (!o.what && !o.shape.preset && !shape_is_given(o.shape)) return {*find_preset("A1"), *find_preset("A2")};
  WorkPreset one = o.shape.preset ? *find_preset(*o.shape.preset) : default_preset(work, family_asked_for(o));
  if (shape_is_given(o.shape)) one.name = name_of(work);
  if (auto* shape = std::get_if<AttentionShape>(&one.shape))
    *shape = with(*shape, o.shape);
  else
    one.shape = with(std::get<TransformerShape>(one.shape), work, o.shape);
  return {one};
}

AttentionShape ladder_shape(const BenchOptions& o) {
  AttentionShape usual;
  usual.batch = 1, usual.seq = o.quick ? 256 : 1024, usual.vocab = 1;
  return with(usual, o.shape);
}

Repeats repeats_of(const BenchOptions& o, Repeats usual) {
  usual.runs = o.repeat ? o.repeat : usual.runs;
  usual.warmup = o.warmup.value_or(usual.warmup);
  return usual;
}

} // namespace tfx
