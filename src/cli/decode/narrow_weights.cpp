#include "cli/decode/narrow_weights.hpp"

namespace tfx {

std::optional<EncoderDecoder<float>> in_floats(const TrainedModel& trained, std::optional<WeightType> type) {
  if (!type) return {};
  EncoderDecoder<float> floats = in_float(trained.model);
  narrow(floats, *type);
  return floats;
}

void write_narrowing(JsonWriter& json, const decoding::Narrowing& measured) {
  json.key("dtype"), json.value(word_of(weight_types(), measured.type));
  json.key("bytes_per_token"), json.value(measured.bytes);
  json.key("float_bytes_per_token"), json.value(measured.float_bytes);
  json.key("largest_difference"), json.value(measured.difference);
}

} // namespace tfx
