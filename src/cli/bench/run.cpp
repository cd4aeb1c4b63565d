#include "cli/bench/run.hpp"

#include "bench/attention_case.hpp"
#include "bench/model_case.hpp"

#include <algorithm>

namespace tfx {

using namespace bench;

Case make_case(const WorkPreset& preset, std::uint32_t seed) {
  if (preset.what == What::attention)
    return attention_case(drawn_attention(std::get<AttentionShape>(preset.shape), seed));
  const auto& shape = std::get<EncoderDecoderShape>(preset.shape);
  switch (preset.what) {
  case What::train: return train_case(shape, seed);
  case What::decode: return decode_case(shape, drawn_model(shape, seed));
  default: return model_case(shape, drawn_model(shape, seed));
  }
}

bool all_agree(const BenchRun& run) {
  return std::ranges::all_of(run.results, [](const BenchResult& one) { return one.agreement.holds(); });
}

bool all_agree(const LadderRun& run) {
  return std::ranges::all_of(run.rungs, &Climbed::equal) &&
         std::ranges::all_of(run.growth, [](const Grown& one) { return one.whole.equal && one.fused.equal; });
}

} // namespace tfx
