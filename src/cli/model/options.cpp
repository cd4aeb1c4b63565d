#include "cli/model/options.hpp"

#include "cli/options.hpp"
#include "core/choices.hpp"
#include "model/presets.hpp"

#include <algorithm>

namespace tfx {

namespace {

const Choices<WeightInit>& weight_inits() {
  static const Choices<WeightInit> all{
      {"xavier-uniform", WeightInit::xavier_uniform}, {"xavier", WeightInit::xavier}, {"he", WeightInit::he}};
  return all;
}

bool is_drawn(const WeightsFrom& weights) {
  return weights == WeightsFrom::drawn;
}

} // namespace

const std::vector<Option<ModelOptions, WeightsFrom>>& model_options() {
  using O = ModelOptions;
  using Row = Option<O, WeightsFrom>;
  static const std::vector<Row> table{
      Row("--preset", &O::preset, value::one_of(preset_names())).when(is_drawn),
      {"--src", &O::src, value::ids()},
      {"--tgt", &O::tgt, value::ids()},
      {"--pad-id", &O::pad_id, value::id()},
      Row("--layers", &O::layers, value::count(1, 1000)).when(is_drawn),
      Row("--d-model", &O::d_model, value::count()).when(is_drawn),
      {"--heads", &O::heads, value::count()},
      Row("--d-ff", &O::d_ff, value::count()).when(is_drawn),
      Row("--vocab", &O::vocab, value::count()).when(is_drawn),
      Row("--src-vocab", &O::src_vocab, value::count()).when(is_drawn),
      Row("--tgt-vocab", &O::tgt_vocab, value::count()).when(is_drawn),
      {"--norm", &O::norm, value::choice(norm_rules<NormRule>())},
      {"--norm-first", &O::placement, NormPlacement::pre_norm},
      Row("--norm-last", &O::placement, NormPlacement::post_norm).without({"--norm-first"}),
      {"--weights", &O::weights, value::text("FILE")},
      Row("--seed", &O::seed, value::seed()).when(is_drawn),
      Row("--init", &O::init, value::choice(weight_inits())).when(is_drawn)};
  return table;
}

namespace {

Config config_of(const ModelOptions& o) {
  Config config = preset(o.preset.value_or("toy"));
  static_cast<Architecture&>(config) = resized(config, {o.layers, o.d_model, o.d_ff, o.heads});
  config.src_vocab = o.src_vocab.value_or(o.vocab.value_or(config.src_vocab));
  config.tgt_vocab = o.tgt_vocab.value_or(o.vocab.value_or(config.tgt_vocab));
  config.norm.rule = o.norm.value_or(NormRule::annotated);
  config.norm.placement = o.placement.value_or(NormPlacement::pre_norm);
  return config;
}

} // namespace

ModelBatches batches_of(const ModelOptions& options) {
  using Rows = std::vector<std::vector<std::uint32_t>>;
  const Rows src = options.src.value_or(Rows{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}});
  const Rows tgt = options.tgt.value_or(options.src.value_or(Rows{{1, 2, 3, 4, 5, 6, 7, 8, 9}}));
  if (src.size() != tgt.size())
    throw usage_error("rows", {{"src", std::to_string(src.size())}, {"tgt", std::to_string(tgt.size())}});
  const auto pad = static_cast<std::uint32_t>(options.pad_id.value_or(0));
  return {padded_batch(src, pad), padded_batch(tgt, pad), pad};
}

void check_ids(const ModelOptions& options, const ModelBatches& batches, const Config& config) {
  const auto check = [&](const char* name, const Batch& batch, std::size_t vocabulary) {
    require_known(name, batch.ids, vocabulary);
    if (const std::size_t longest = batch.sequences.longest(); longest > config.max_len)
      throw usage_error(
          "too_long",
          {{"name", name}, {"count", std::to_string(longest)}, {"most", std::to_string(config.max_len)}});
  };
  check("--src", batches.src, config.src_vocab);
  check("--tgt", batches.tgt, config.tgt_vocab);
  if (options.pad_id) require_known("--pad-id", {batches.pad}, std::max(config.src_vocab, config.tgt_vocab));
}

template <class Real>
EncoderDecoder<Real> model_of(const ModelOptions& options) {
  if (options.weights) {
    if (const auto* other = first_unfit(model_options(), options, WeightsFrom::given))
      throw usage_error("beside_weights", {{"name", other->name}});
    return load_model<Real>(*options.weights, {options.heads, options.norm, options.placement});
  }
  const Config config = config_of(options);
  require_dividing(config.heads, config.d_model);
  EncoderDecoder<Real> model(config);
  initialize(model, options.init.value_or(WeightInit::xavier_uniform), options.seed.value_or(42));
  return model;
}

template EncoderDecoder<float> model_of(const ModelOptions&);
template EncoderDecoder<double> model_of(const ModelOptions&);

std::string source_of_weights(const ModelOptions& o) {
  if (o.weights) return *o.weights;
  return word_of(weight_inits(), o.init.value_or(WeightInit::xavier_uniform)) + ", np.random.seed(" +
         std::to_string(o.seed.value_or(42)) + ")";
}

} // namespace tfx
