// What learners write instead of queries from the decoder, keys and values from the encoder's output.

#include "trace/mistake.hpp"

namespace tfx {

namespace {

std::optional<Step> projected_from(const std::string& source, const Trace& t, const Step& right) {
  std::vector<std::string> inputs = right.operation.inputs;
  inputs[0] = source;
  std::string formula = source + "·" + inputs[1];
  if (inputs.size() == 3) formula += " + " + inputs[2];
  return computed_instead(t, right, formula, op::matmul(inputs));
}

std::optional<Step> kv_from_decoder(const Trace& t, const Step& right) {
  if (!right.operation.is(op::matmul) || right.operation.inputs[0] != "memory") return {};
  return projected_from("X", t, right);
}

std::optional<Step> q_from_encoder(const Trace& t, const Step& right) {
  if (!right.operation.is(op::matmul) || right.name != "Q" || !has_memory(t)) return {};
  return projected_from("memory", t, right);
}

// The mask of the source left out: its padding is read. (mask.forgotten, where the mask is another.)
std::optional<Step> no_source_mask(const Trace& t, const Step& right) {
  if (right.name != "masked" || !has_memory(t)) return {};
  return computed_instead(t, right, "scaled", op::multiply_by("scaled").with(1, "1"));
}

} // namespace

std::vector<Mistake> cross_mistakes() {
  return {{"cross.kv_from_decoder", kv_from_decoder},
          {"cross.q_from_encoder", q_from_encoder},
          {"cross.no_source_mask", no_source_mask}};
}

} // namespace tfx
