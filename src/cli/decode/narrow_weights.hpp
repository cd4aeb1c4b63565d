#pragma once
// `--dtype` of `tfx decode` and `tfx score`: the engine whose weights stand in fewer bits, and what of it
// stands in JSON.

#include "cli/decode/trained_model.hpp"
#include "io/json_writer.hpp"
#include "parity/decoding.hpp"

namespace tfx {

/// The model as that type leaves it; nothing without one: then all stays in double. Throws Error(no_memory).
std::optional<EncoderDecoder<float>> in_floats(const TrainedModel& trained, std::optional<WeightType> type);

/// The members of the object "narrowing".
void write_narrowing(JsonWriter& json, const decoding::Narrowing& measured);

} // namespace tfx
