#pragma once
// A layer of the whole model as formulas, tokens as rows, with the shapes of a run.

#include "trace/trace.hpp"

#include <string>
#include <vector>

namespace tfx {

struct LayerFormulas {
  std::vector<std::string> self_attn, src_attn, feed_forward; ///< lines; src_attn of a decoder's layer
};

/// `trace` has the layer's activations by the engine's names; those that it has not are left without shape.
LayerFormulas formulas_of(const Trace& trace, const std::string& layer, bool norm_first);

} // namespace tfx
