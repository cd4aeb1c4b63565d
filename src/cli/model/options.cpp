#include "cli/model/options.hpp"

#include "cli/add_option.hpp"
#include "cli/options.hpp"
#include "model/presets.hpp"

#include <algorithm>
#include <limits>

namespace tfx {

void add_model_options(CLI::App& command, ModelOptions& options) {
  std::vector<std::pair<std::string, std::string>> presets;
  for (const std::string& name : preset_names()) presets.emplace_back(name, name);
  add_choice<std::string>(command, "--preset", presets,
                          [&options](const std::string& name) { options.preset = name; });
  add_text(command, "--src", options.src, "IDS[;IDS]");
  add_text(command, "--tgt", options.tgt, "IDS[;IDS]");
  add_count(command, "--pad-id", options.pad_id, 0, std::numeric_limits<std::uint32_t>::max());
  add_count(command, "--layers", options.layers, 1, 1000);
  add_count(command, "--d-model", options.d_model).description(in_words("model--d-model"));
  add_count(command, "--heads", options.heads).description(in_words("model--heads"));
  add_count(command, "--d-ff", options.d_ff);
  add_count(command, "--vocab", options.vocab);
  add_count(command, "--src-vocab", options.src_vocab);
  add_count(command, "--tgt-vocab", options.tgt_vocab);
  add_choice<NormRule>(command, "--norm",
                       {{"annotated", NormRule::annotated}, {"standard", NormRule::standard}},
                       [&options](NormRule rule) { options.norm = rule; });
  const AddedOption first = add_flag(command, "--norm-first", options.norm_first);
  add_flag(command, "--norm-last", options.norm_last).excludes(first);
  add_text(command, "--weights", options.weights, "FILE");
  add_seed(command, options.seed);
  add_choice<WeightInit>(command, "--init",
                         {{"xavier-uniform", WeightInit::xavier_uniform},
                          {"xavier", WeightInit::xavier},
                          {"he", WeightInit::he}},
                         [&options](WeightInit init) { options.init = init; })
      .description(in_words("model--init"));
}

namespace {

/// The first option of the shape or of random weights that was given: a file has its own.
std::string given_beside_weights(const ModelOptions& o) {
  if (o.preset) return "--preset";
  if (o.layers) return "--layers";
  if (o.d_model) return "--d-model";
  if (o.d_ff) return "--d-ff";
  if (o.vocab) return "--vocab";
  if (o.src_vocab) return "--src-vocab";
  if (o.tgt_vocab) return "--tgt-vocab";
  if (o.seed) return "--seed";
  if (o.init) return "--init";
  return "";
}

std::optional<NormPlacement> placement_of(const ModelOptions& o) {
  if (o.norm_first) return NormPlacement::pre_norm;
  if (o.norm_last) return NormPlacement::post_norm;
  return std::nullopt;
}

Config config_of(const ModelOptions& o) {
  Config config = preset(o.preset.value_or("annotated"));
  config.layers = o.layers.value_or(config.layers);
  // A feed-forward layer is four times as wide as the model unless somebody says otherwise.
  if (o.d_model) config.d_model = *o.d_model, config.d_ff = checked_product(4, *o.d_model, "d_ff");
  config.d_ff = o.d_ff.value_or(config.d_ff);
  config.src_vocab = o.src_vocab.value_or(o.vocab.value_or(config.src_vocab));
  config.tgt_vocab = o.tgt_vocab.value_or(o.vocab.value_or(config.tgt_vocab));
  config.style.heads = o.heads.value_or(config.style.heads);
  config.style.norm.rule = o.norm.value_or(NormRule::annotated);
  config.style.norm.placement = placement_of(o).value_or(NormPlacement::pre_norm);
  return config;
}

} // namespace

ModelBatches batches_of(const ModelOptions& options) {
  const auto src = parse_ids("--src", options.src.value_or("1,2,3,4,5,6,7,8,9,10"));
  const auto tgt = parse_ids("--tgt", options.tgt.value_or(options.src ? *options.src : "1,2,3,4,5,6,7,8,9"));
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
    if (const std::string other = given_beside_weights(options); !other.empty())
      throw usage_error("beside_weights", {{"name", other}});
    return load_model<Real>(*options.weights, {options.heads, options.norm, placement_of(options)});
  }
  const Config config = config_of(options);
  require_dividing(config.style.heads, config.d_model);
  EncoderDecoder<Real> model(config);
  initialize(model, options.init.value_or(WeightInit::xavier_uniform), options.seed.value_or(42));
  return model;
}

template EncoderDecoder<float> model_of(const ModelOptions&);
template EncoderDecoder<double> model_of(const ModelOptions&);

namespace {

const char* name_of(WeightInit init) {
  return init == WeightInit::he ? "he" : init == WeightInit::xavier ? "xavier" : "xavier-uniform";
}

} // namespace

std::string source_of_weights(const ModelOptions& o) {
  if (o.weights) return *o.weights;
  return std::string(name_of(o.init.value_or(WeightInit::xavier_uniform))) + ", np.random.seed(" +
         std::to_string(o.seed.value_or(42)) + ")";
}

std::string repeat_options(const ModelOptions& o) {
  std::string text;
  const auto add = [&](const char* name, const auto& value) {
    if (!value) return;
    text += std::string(" ") + name + " ";
    if constexpr (requires { value->size(); })
      text += quoted(*value);
    else
      text += std::to_string(*value);
  };
  add("--preset", o.preset), add("--src", o.src), add("--tgt", o.tgt), add("--pad-id", o.pad_id);
  add("--layers", o.layers), add("--d-model", o.d_model), add("--heads", o.heads), add("--d-ff", o.d_ff);
  add("--vocab", o.vocab), add("--src-vocab", o.src_vocab), add("--tgt-vocab", o.tgt_vocab);
  if (o.norm) text += *o.norm == NormRule::standard ? " --norm standard" : " --norm annotated";
  if (o.norm_first) text += " --norm-first";
  if (o.norm_last) text += " --norm-last";
  add("--weights", o.weights), add("--seed", o.seed);
  if (o.init) text += std::string(" --init ") + name_of(*o.init);
  return text;
}

} // namespace tfx
