#pragma once
// The page of `tfx model`: what it reads and answers, what flows where, then layer by layer its formulas with
// the shapes of the run, and what every head looks at. It reads activations by the engine's names, and
// computes none.

#include "render/terminal.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"

#include <string>
#include <vector>

namespace tfx {

struct LayerFormulas {
  std::vector<std::string> self_attn, src_attn, feed_forward; ///< lines; src_attn of a decoder's layer
};

/// `trace` has the layer's activations by the engine's names; those that it has not are left without shape.
LayerFormulas formulas_of(const Trace& trace, const std::string& layer, bool norm_first);

/// A position of the target: token, what should come next, the most probable other token.
struct WalkAnswer {
  std::string read, right, other;
  double p_right = 0, p_other = 0;
};

struct WalkModule {
  std::string name; ///< "encoder.layers.0.self_attn"
  std::size_t parameters = 0, macs = 0;
  double seconds = 0;
};

struct ModelWalk {
  std::vector<WalkAnswer> answer;
  std::vector<WalkAnswer> changed; ///< the same with an intervention; empty without
  std::vector<WalkModule> modules;
  std::vector<ActivationSummary> activations; ///< a line each at the end of the whole
  bool norm_first = true;
  bool whole = false;    ///< all layers, not only the first and the last of each side
  bool in_pages = false; ///< the page that the screen names, by default the first; else all of them in one
};

/// A part of the page under one heading; the first has none.
struct WalkSection {
  std::string subject; ///< the sublayer that it is about: "encoder.layers.0.self_attn"; else empty
  std::string text;
};

/// `trace`: the activations with their tokens as labels, facts, checks, and the experiment "ablation" if
/// there is one.
std::vector<WalkSection> render_model_walk(const Trace& trace, const ModelWalk& walk, const Screen& screen,
                                           const Words& words, const Style& style);

/// Every activation in a line, with its name, its shape and where its numbers lie. Layers stand under a
/// heading of their own; columns are left out from the right where the screen is narrow. `words` has the
/// headings of the columns (column.mean …).
std::vector<std::string> activation_table(const std::vector<ActivationSummary>& activations,
                                          const Words& words, const Style& style);

/// Its sections below each other.
std::string page_of(const ModelWalk& walk, const Trace& trace, const Screen& screen, const Words& words,
                    const Style& style);

} // namespace tfx
