#include "architecture/remarks.hpp"

#include "core/number.hpp"
#include "io/message.hpp"
#include "model/counts.hpp"

#include <fmt/format.h>

namespace tfx::params {

namespace {

/// Of the layers alone: embeddings, pooler and generator are no part of the race.
void add_layers(const Module& module, Figure& attention, Figure& others) {
  for (const Module& child : module.children) {
    if (child.kind != ModuleKind::layer) {
      add_layers(child, attention, others);
      continue;
    }
    attention += macs_of(child, LayerOperationKind::matmul);
    others += macs_of(child, LayerOperationKind::linear);
  }
  if (module.name == "attention" && attention.estimate() == 0) { // attention-block has one, and no layers
    attention += macs_of(module, LayerOperationKind::matmul);
    others += macs_of(module, LayerOperationKind::linear);
  }
}

Sequences one_sequence(std::uint64_t length) {
  Sequences one;
  one.append(length);
  return one;
}

void closed_form_check(Trace& trace, const Counted& model) {
  const ModelShape& s = *model.shape;
  ModelShape plain = shape_of(spec_of(s)); // what the engine has
  plain.batch = s.batch, plain.seq = s.seq, plain.tgt_seq = s.tgt_seq;
  if (plain != s) return;
  const ModelSpec spec = spec_of(s);
  const std::uint64_t macs = s.batch * forward_macs(spec, one_sequence(s.seq), one_sequence(s.tgt_seq));
  const bool equal = macs == model.sum.macs.value() && model_parameters(spec) == model.sum.parameters.value();
  trace.facts["closed_macs"] = with_separators(macs);
  trace.checks.push_back({"closed_form", equal, static_cast<double>(macs)});
}

void published_check(Trace& trace, const Counted& model) {
  if (!model.published || !model.published->published) return;
  const Preset& preset = *model.published;
  trace.facts["source"] = std::string(preset.source);
  const double walked = model.sum.parameters.estimate(), published = static_cast<double>(preset.published);
  if (preset.rounded) {
    trace.facts["rounded_total"] = with_separators(preset.published);
    trace.facts["rounded_off"] = percent((walked - published) / published);
  } else {
    trace.checks.push_back({"published", model.sum.parameters.value() == preset.published, published});
    trace.facts["published"] = with_separators(preset.published);
  }
}

void speak_of_ties(Trace& trace, const Counted& model) {
  std::string names;
  for (const NamedTensor& one : tensors_of(model.root)) {
    if (one.tensor.tied_to.empty()) continue;
    names += one.name + " = ";
    TensorSpec own = one.tensor;
    own.tied_to.clear();
    trace.facts["tied"] = names + one.tensor.tied_to;
    trace.facts["tied_count"] = with_separators(elements(own).value());
  }
}

void speak_of_cache(Trace& trace, const Counted& model, std::uint64_t bytes) {
  const ModelShape& s = *model.shape;
  const std::optional<KvCache> cache = kv_cache(s);
  if (!cache || !model.shows_cache) return;
  const auto in_bytes = [&](const Figure& numbers) {
    return format_bytes(static_cast<double>((numbers * bytes).value()));
  };
  trace.facts["kv_each"] = with_separators(cache->each.value());
  trace.facts["kv_formula"] = cache->each.formula();
  trace.facts["kv_each_bytes"] = with_separators((cache->each * bytes).value());
  trace.facts["kv_bytes"] = in_bytes(cache->all);
  const std::string sequences = s.batch > 1 ? std::to_string(s.batch) + " × " : "";
  trace.facts["kv_tokens"] = sequences + with_separators(cache->tokens.value());
  if (has_two_stacks(s.family))
    trace.facts["kv_source"] = sequences + with_separators(s.seq),
    trace.facts["kv_target"] = sequences + with_separators(s.tgt_seq);
  if (s.window && s.window < s.context) trace.facts["window"] = with_separators(s.window);
  if (s.key_heads() == s.heads) return;
  trace.facts["query_heads"] = std::to_string(s.heads),
  trace.facts["kv_heads"] = std::to_string(s.key_heads());
  trace.facts["kv_ungrouped"] = in_bytes(cache->without_groups);
  trace.facts["kv_times"] = std::to_string(s.heads / s.key_heads());
}

void speak_of_config(Trace& trace, const ConfigFile& config) {
  trace.facts["config_class"] = config.config_class, trace.facts["counted_as"] = config.counted_as;
  std::string taken;
  for (const TakenDefault& one : config.defaults)
    taken += (taken.empty() ? "" : ", ") + one.field + " = " + one.value;
  if (!taken.empty()) trace.facts["defaults"] = taken;
  if (!config.other_class.empty()) trace.facts["other_class"] = in_quotes(config.other_class);
  const Family family = config.shape.family;
  if (family == Family::bert || family == Family::roberta) trace.facts["bare"] = config.counted_as;
  if (config.is_quantized) trace.facts["quantized"] = std::string("quantization_config");
}

void speak_of_index(Trace& trace, const Counted& model) {
  const WeightIndex& index = *model.index;
  const IndexComparison found = compare(model.root, index);
  trace.facts["index"] = printable(index.path);
  trace.facts["index_tensors"] = with_separators(index.tensors.size());
  trace.facts["index_files"] = with_separators(index.files);
  const auto examples = [&](const std::string& key, const std::vector<std::string>& names) {
    if (names.empty()) return;
    trace.facts[key + "_count"] = with_separators(names.size()), trace.facts[key] = in_quotes(names.front());
  };
  examples("index_missing", found.missing), examples("index_besides", found.besides);
  // Another class has other names, and weights in fewer bits have others too.
  if (!model.config || (model.config->other_class.empty() && !model.config->is_quantized))
    trace.checks.push_back({"index", found.missing.empty(), static_cast<double>(found.shared)});
  trace.facts["index_plain"] = trace.facts["index"];
  if (!index.bytes) return;
  trace.facts["index_bytes"] = with_separators(*index.bytes);
  const std::uint64_t parameters = model.sum.parameters.value();
  for (const std::uint64_t each : {8, 4, 2, 1}) {
    if (*index.bytes / each < parameters) continue;
    trace.facts.erase("index_plain");
    trace.facts["index_each"] = std::to_string(each);
    if (const std::uint64_t rest = *index.bytes - each * parameters)
      trace.facts["index_rest"] = with_separators(rest);
    else
      trace.facts["index_exact"] = std::to_string(each);
    return;
  }
}

void speak_of_tokens(Trace& trace, const Counted& model) {
  const ModelShape& s = *model.shape;
  if (s.family == Family::resnet18) return;
  const Totals& sum = model.sum;
  if (s.seq == s.tgt_seq || !has_two_stacks(s.family)) {
    const double tokens = static_cast<double>(s.batch) * static_cast<double>(s.seq);
    const double each = sum.flops().estimate() / tokens;
    const double twice = 2 * macs_of(model.root, LayerOperationKind::linear).estimate() / tokens;
    const std::string key = has_two_stacks(s.family) ? "pair" : "token";
    trace.facts[key + "_flops"] = with_separators(static_cast<std::size_t>(each + 0.5));
    trace.facts[key + "_weights"] = with_separators(static_cast<std::size_t>(twice / 2 + 0.5));
    trace.facts[key + "_ratio"] = fmt::format("{:.2f}", each / (2 * sum.parameters.estimate()));
    trace.facts[key + "_rest"] = percent(1 - twice / each);
  }
  if (const std::uint64_t length = attention_overtakes(model))
    trace.facts[s.seq < length ? "overtakes" : "overtaken"] = with_separators(length);
}

} // namespace

std::uint64_t bytes_of(Precision precision) {
  return precision == Precision::f64 ? 8 : precision == Precision::f32 ? 4 : 2;
}

const Choices<Precision>& precisions() {
  static const Choices<Precision> all{
      {"f16", Precision::f16}, {"bf16", Precision::bf16}, {"f32", Precision::f32}, {"f64", Precision::f64}};
  return all;
}

Counted counted(const std::string& name, const ModelShape& shape, const Preset* published) {
  Counted model{name, blueprint(shape), {}, shape, published};
  model.sum = totals(model.root);
  for (const Figure* sum : {&model.sum.parameters, &model.sum.macs, &model.sum.cells}) sum->value();
  (model.sum.flops() * 8).value(); // and their bytes
  (model.sum.parameters * 32).value();
  (model.sum.cells * 8).value();
  return model;
}

std::uint64_t attention_overtakes(const Counted& model) {
  Figure attention, others;
  add_layers(model.root, attention, others);
  if (attention.estimate() == 0 || !model.shape) return 0;
  // attention = a·n², others = b·n: equal at n = b / a.
  const double length = others.estimate() / attention.estimate() * static_cast<double>(model.shape->seq);
  return static_cast<std::uint64_t>(length) + 1;
}

void remark(Trace& trace, const Counted& model, Precision precision) {
  const Totals& sum = model.sum;
  const double bytes = static_cast<double>(bytes_of(precision)), p = sum.parameters.estimate();
  trace.facts["parameters"] = with_separators(sum.parameters.value());
  trace.facts["weight_bytes"] = format_bytes(p * bytes);
  trace.facts["adam_bytes"] = format_bytes(2 * p * bytes);
  trace.facts["training_bytes"] = format_bytes(4 * p * bytes);
  if (sum.buffers.value()) trace.facts["buffers"] = with_separators(sum.buffers.value());
  speak_of_ties(trace, model);
  if (!model.shape) return;
  if (model.config) speak_of_config(trace, *model.config);
  if (model.index) speak_of_index(trace, model);
  speak_of_cache(trace, model, bytes_of(precision));
  trace.facts["cell_bytes"] = format_bytes(sum.cells.estimate() * bytes);
  if (model.shape->family == Family::resnet18) {
    trace.facts["convolved"] = with_separators(sum.seen.value());
    trace.facts["hooked"] = with_separators(sum.hook.value());
    trace.facts["hooked_extra"] = with_separators(sum.hook.value() - sum.seen.value());
  } else if (sum.seen.value() < sum.macs.value()) {
    const std::uint64_t attention = macs_of(model.root, LayerOperationKind::matmul).value(),
                        unseen = sum.macs.value() - sum.seen.value();
    trace.facts["missed"] = percent(static_cast<double>(attention) / sum.macs.estimate());
    trace.facts["missed_macs"] = with_separators(attention);
    if (unseen > attention)
      trace.facts["conv1d"] = percent(static_cast<double>(unseen - attention) / sum.macs.estimate());
  }
  speak_of_tokens(trace, model);
  published_check(trace, model);
  closed_form_check(trace, model);
}

} // namespace tfx::params
