// What learners get wrong where the parts of the model meet.

#include "trace/mistake.hpp"

namespace tfx {

namespace {

bool is_model(const Trace& t) {
  return t.lesson == "model";
}

/// Whether a step is `part` of a side: "decoder" and "src_attn.linears.1".
bool is_part(const Trace& t, const Step& right, const char* side, std::string_view part) {
  return is_model(t) && right.name.starts_with(std::string(side) + ".layers.") && right.name.ends_with(part);
}

/// The place of a step of an attention: "decoder.layers.0.src_attn".
std::string place_of(const Step& step) {
  const std::size_t end = step.name.find("attn");
  return step.name.substr(0, end + 4);
}

/// What is projected otherwise: x·Wᵀ + b of another x.
Step of_other(const Trace& t, const Step& right, const std::string& x) {
  const auto& in = right.operation.inputs;
  const Operation other = op::matmul_transposed(x, in[1], in[2]);
  return computed_instead(t, right, other.kind->formula(other), other);
}

/// What the decoder's own tokens are where an attention asks: the input of its Q.
std::string asking(const Trace& t, const Step& right) {
  return t.step_named(place_of(right) + ".linears.0").operation.inputs[0];
}

std::optional<Step> kv_from_decoder(const Trace& t, const Step& right) {
  const bool is_kv = is_part(t, right, "decoder", "src_attn.linears.1") ||
                     is_part(t, right, "decoder", "src_attn.linears.2");
  if (!is_kv) return {};
  return of_other(t, right, asking(t, right));
}

std::optional<Step> memory_of_layer(const Trace& t, const Step& right) {
  const bool is_kv = is_part(t, right, "decoder", "src_attn.linears.1") ||
                     is_part(t, right, "decoder", "src_attn.linears.2");
  if (!is_kv) return {};
  const std::size_t first = right.name.find("layers.") + 7;
  const std::string layer = "encoder.layers." + right.name.substr(first, right.name.find('.', first) - first),
                    output = layer + ".sublayer.1.output";
  return of_other(t, right, t.has(output) ? output : layer + ".sublayer.1.norm");
}

/// decode(memory, tgt) for decode(tgt, memory).
std::optional<Step> memory_exchanged(const Trace& t, const Step& right) {
  if (is_part(t, right, "decoder", "src_attn.linears.0")) return of_other(t, right, "memory");
  const bool is_kv = is_part(t, right, "decoder", "src_attn.linears.1") ||
                     is_part(t, right, "decoder", "src_attn.linears.2");
  if (!is_kv) return {};
  const std::string sublayer = right.name.substr(0, right.name.find("src_attn")) + "sublayer.";
  const std::string norm_first = sublayer + "1.norm";
  return of_other(t, right, t.has(norm_first) ? norm_first : sublayer + "0.norm");
}

/// The mask made of these parts alone; without any, everything may be seen.
Step masked_by(const Trace& t, const Step& right, const std::vector<std::string>& parts) {
  if (parts.empty()) return cells_instead(right, "1", [](std::size_t) { return 1.0; });
  const Operation other = op::both(parts).onto(Shape(right.value.shape));
  return computed_instead(t, right, parts.size() == 1 ? parts[0] : other.kind->formula(other), other);
}

std::vector<std::string> if_there(const Trace& t, const std::string& name) {
  return t.has(name) ? std::vector<std::string>{name} : std::vector<std::string>{};
}

std::optional<Step> no_causal_mask(const Trace& t, const Step& right) {
  if (!is_part(t, right, "decoder", "self_attn.mask")) return {};
  return masked_by(t, right, if_there(t, "tgt_visible"));
}

std::optional<Step> source_mask_for_target(const Trace& t, const Step& right) {
  if (!is_part(t, right, "decoder", "self_attn.mask")) return {};
  return masked_by(t, right, if_there(t, "src_visible"));
}

std::optional<Step> no_source_mask(const Trace& t, const Step& right) {
  if (!is_part(t, right, "decoder", "src_attn.mask")) return {};
  return masked_by(t, right, {});
}

std::optional<Step> causal_encoder(const Trace& t, const Step& right) {
  if (!is_part(t, right, "encoder", "self_attn.mask")) return {};
  const std::size_t n = right.value.shape.back();
  return cells_instead(right, "src_visible ∧ [j ≤ i]",
                       [&](std::size_t i) { return i % n <= i / n % n ? right.value.data[i] : 0; });
}

/// What a last norm normalizes.
std::string before_norm(const Trace& t, const std::string& norm) {
  return t.step_named(norm + ".mean").operation.inputs[0];
}

std::optional<Step> generator_before_norm(const Trace& t, const Step& right) {
  if (!is_model(t) || right.name != "logits") return {};
  return of_other(t, right, before_norm(t, "decoder.norm"));
}

std::optional<Step> memory_before_norm(const Trace& t, const Step& right) {
  if (!is_model(t) || right.name != "memory") return {};
  const std::string x = before_norm(t, "encoder.norm");
  return computed_instead(t, right, x, op::multiply_by(x).with(1, "1"));
}

std::optional<Step> tied_to_source(const Trace& t, const Step& right) {
  if (!is_model(t) || right.name != "logits") return {};
  const auto& in = right.operation.inputs;
  const Operation other = op::matmul_transposed(in[0], std::string("src_embed.0.lut.weight"), in[2]);
  return computed_instead(t, right, other.kind->formula(other), other);
}

std::optional<Step> no_scale(const Trace& t, const Step& right) {
  if (!is_model(t) || (right.name != "src_embed.scaled" && right.name != "tgt_embed.scaled")) return {};
  const std::string& rows = right.operation.inputs[0];
  return computed_instead(t, right, rows, op::multiply_by(rows).with(1, "1"));
}

/// [layer] * N in Python: N names of one layer.
std::optional<Step> shared_layers(const Trace& t, const Step& right) {
  const auto& in = right.operation.inputs;
  if (!is_model(t) || !right.operation.is(op::matmul_transposed) || in.size() != 3) return {};
  std::vector<std::string> names = in;
  for (std::size_t i = 1; i < 3; ++i) {
    const std::size_t at = names[i].find(".layers.");
    if (at == std::string::npos) return {};
    names[i].replace(at + 8, names[i].find('.', at + 8) - at - 8, "0");
  }
  if (names == in) return {};
  const Operation other = op::matmul_transposed(names);
  return computed_instead(t, right, other.kind->formula(other), other);
}

std::optional<Step> no_residual(const Trace& t, const Step& right) {
  const bool is_sum = is_model(t) && right.name.find(".sublayer.") != std::string::npos &&
                      (right.name.ends_with(".output") || right.name.ends_with(".sum"));
  if (!is_sum) return {};
  const std::string& y = right.operation.inputs[1];
  return computed_instead(t, right, y, op::multiply_by(y).with(1, "1"));
}

} // namespace

std::vector<Mistake> model_mistakes() {
  return {{"model.kv_from_decoder", kv_from_decoder},
          {"model.memory_exchanged", memory_exchanged},
          {"model.memory_of_layer", memory_of_layer},
          {"model.memory_before_norm", memory_before_norm},
          {"model.no_causal_mask", no_causal_mask},
          {"model.source_mask_for_target", source_mask_for_target},
          {"model.no_source_mask", no_source_mask},
          {"model.causal_encoder", causal_encoder},
          {"model.generator_before_norm", generator_before_norm},
          {"model.tied_to_source", tied_to_source},
          {"model.no_scale", no_scale},
          {"model.no_target_positions", {{"tgt_embed", "tgt_embed.scaled"}}},
          {"model.shared_layers", shared_layers},
          {"model.no_residual", no_residual}};
}

} // namespace tfx
