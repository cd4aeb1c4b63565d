// What learners write instead of X·W_Q, X·W_K, X·W_V.

#include "trace/mistake.hpp"

namespace tfx {

std::vector<Mistake> qkv_mistakes() {
  return {Mistake{"qkv.weight_transposed",
                  {{"Q@matmul, K@matmul, V@matmul", "A·Bᵀ + C"}, {"Q@matmul, K@matmul, V@matmul", "A·Bᵀ"}}}
              .mended_by("X @ W", "X @ W", "X * W"),
          {"qkv.v_from_wk", {{"V@matmul if C", "A·W_K + b_K"}, {"V@matmul", "A·W_K"}}},
          {"qkv.k_from_wq", {{"K@matmul if C", "A·W_Q + b_Q"}, {"K@matmul", "A·W_Q"}}},
          {"qkv.no_bias", {{"Q@matmul if C, K@matmul if C, V@matmul if C", "A·B"}}}};
}

} // namespace tfx
