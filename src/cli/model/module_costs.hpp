#pragma once
// What each module of the engine's model holds, executes and takes in one forward pass.

#include "model/transformer.hpp"

#include <cstdint>

namespace tfx {

struct ModuleCost {
  std::string name; ///< "src_embed", "encoder.layers.0", "encoder.layers.0.self_attn", "encoder.norm"
  std::size_t parameters = 0;
  std::uint64_t macs = 0; ///< multiply-adds of products that were executed
  double seconds = 0;     ///< the median of five passes, after one that is not counted
};

/// In the order in which they run. A layer stands before its attentions and its feed-forward layer, and
/// holds what they do and its norms.
template <class Real>
std::vector<ModuleCost> module_costs(const Transformer<Real>& model, const Batch& src, const Batch& tgt);

} // namespace tfx
