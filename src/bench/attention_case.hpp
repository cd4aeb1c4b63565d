#pragma once
// The benchmark of the tutorial attention-block on the engine: ids in, vectors out.
//
//   x = E[id] + P[place]      y = W_Oᵀ · heads(W_Qᵀ·x, W_Kᵀ·x, W_Vᵀ·x)      E without the factor √d_model

#include "bench/case.hpp"
#include "layers/multi_head_attention.hpp"
#include "model/batch.hpp"

#include <cstdint>

namespace tfx::bench {

struct AttentionModel {
  AttentionShape shape;
  arma::fmat tokens, positions; ///< d_model × vocab, d_model × seq
  MultiHeadAttention<float> attention;
  Batch batch;

  /// Zeros of that shape and an id 0 a token. Throws Error(bad_data) where the heads do not divide the width,
  /// Error(no_memory) before taking memory that is not there.
  explicit AttentionModel(const AttentionShape& shape);
};

/// Tables and ids as randn and randint draw them after np.random.seed(seed), matrices randn·√(1/d_model).
AttentionModel drawn_attention(const AttentionShape& shape, std::uint32_t seed);

/// x, d_model × tokens.
arma::fmat embedded(const AttentionModel& model);

/// d_model × tokens.
arma::fmat forward(const AttentionModel& model);

/// Compared with the page, in double, at two tokens: the middle of the first sequence, and the last of the
/// last.
Case attention_case(AttentionModel model);

} // namespace tfx::bench
