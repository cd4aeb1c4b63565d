#pragma once
// The same attention block, written again and again: from the loops of the published NumPy algorithm to the
// engine. Each rung changes one thing, so that what it gains has one cause.
//
//   x d_model × tokens  →  y d_model × tokens        y = W_Oᵀ · heads(W_Qᵀ·x, W_Kᵀ·x, W_Vᵀ·x)
//
// Source of the first: SelfAttentionBlock.forward of the tutorial attention-block.

#include "bench/work.hpp"
#include "layers/multi_head_attention.hpp"

#include <armadillo>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tfx::bench {

/// What all rungs are given, in the form that each wants. shape.vocab has no part in it.
struct AttentionBlock {
  AttentionShape shape;
  Sequences sequences;
  arma::fmat x;
  MultiHeadAttention<float> layer;
  arma::fmat W_QKV;         ///< d_model × 3·d_model, side by side
  std::vector<arma::mat> X; ///< the page's form: a matrix a sequence, a token a row, in double
  std::vector<arma::mat> W; ///< W_Q, W_K, W_V, W_O in double
};

/// x as randn, matrices randn·√(1/d_model), after np.random.seed(seed). Throws Error(bad_data) where the
/// heads do not divide the width, Error(no_memory) where a rung would not fit: n² scores of a head, whole.
AttentionBlock drawn_block(const AttentionShape& shape, std::uint32_t seed);

struct Rung {
  enum class Threads { one, all };

  std::string id; ///< key of its name and of the sentence why it gains
  std::function<arma::fmat(const AttentionBlock&)> run;
  Threads threads = Threads::one;
};

/// loops: every product as three nested loops, whole scores, masked with −1e9, as published.
/// page: the formulas of src/page/formulas.hpp, a head after the other; BLAS does the products, in double.
/// qkv: in float, Q, K and V by one product.
/// heads: the heads' products on the memory where Q, K and V stand, softmax in place; no copies.
/// tiles: 64 queries at a time, with the keys that they may see alone.
/// fused: the engine's layer on one thread.
/// threads: the same on all of them.
const std::vector<Rung>& rungs();

/// The rung of that id.
const Rung& rung(const std::string& id);

} // namespace tfx::bench
