// What learners write instead of queries from the decoder, keys and values from the encoder's output.

#include "trace/mistake.hpp"

namespace tfx {

std::vector<Mistake> cross_mistakes() {
  return {
      {"cross.kv_from_decoder", {{"@matmul of memory", "X·B + C"}, {"@matmul of memory", "X·B"}}},
      {"cross.q_from_encoder", {{"Q@matmul if memory", "memory·B + C"}, {"Q@matmul if memory", "memory·B"}}},
      {"cross.no_source_mask", {{"masked if memory", "scaled"}}}};
}

} // namespace tfx
