#pragma once
// The same attention block on seven rungs, from the loops of the published NumPy algorithm to the engine:
// each rung changes one thing, so that what it gains has one cause. Each is compared with the first one, and
// timed only if it gives the same result. Source of the first: SelfAttentionBlock.forward of the tutorial
// attention-block.

#include "bench/measure.hpp"
#include "bench/work.hpp"
#include "layers/multi_head_attention.hpp"

#include <armadillo>

#include <cstdint>
#include <functional>
#include <optional>
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

struct Climbed {
  std::string id;
  double difference = 0;        ///< from the first rung, relative to its largest number
  bool equal = false;           ///< within case.hpp's rounding_bound
  std::optional<Figure> figure; ///< none where it differs, or nobody asked; beside the peak of all threads
  std::size_t threads = 1;      ///< that it ran on
  std::size_t memory = 0;       ///< bytes that its first run took beyond what was there; 0 where unknown
};

/// Called with what comes next: the id of a rung, or "n = 512".
using Watch = std::function<void(const std::string&)>;

/// Every rung on the same block. Without `repeats` none is timed.
std::vector<Climbed> climb(const std::vector<Rung>& rungs, const AttentionBlock& block,
                           const std::optional<Repeats>& repeats, const Watch& watch = {});

/// One head of the block's width, with whole scores and fused, at n tokens.
struct Grown {
  std::size_t n = 0;
  Climbed whole, fused;
};

/// For n from `first` on, doubled up to `last`; as far as the memory reaches.
std::vector<Grown> grow(std::size_t d_k, std::size_t first, std::size_t last, const Repeats& repeats,
                        const Watch& watch = {});

} // namespace tfx::bench
