// What learners write instead of softmax(…)·V.

#include "trace/mistake.hpp"

namespace tfx {

std::vector<Mistake> attention_mistakes() {
  return {{"attention.no_softmax", {{"weights", "S"}}},
          {"attention.weights_transposed", {{"heads if K_heads, output unless K_heads", "Wᵀ·Vₕ"}}},
          {"attention.keys_for_values", {{"heads if K_heads, output unless K_heads", "W·Kₕ"}}}};
}

} // namespace tfx
