#pragma once
// The screen of `tfx params`: what a model holds, what one forward pass does, and what follows from the two.

#include "cli/params/rows.hpp"
#include "parity/held_matrix.hpp"
#include "render/style.hpp"
#include "render/terminal.hpp"
#include "text/words.hpp"

namespace tfx {

struct ParamsScreen {
  Screen frame;
  By by = By::module;
  params::Precision precision = params::Precision::f32;
  std::string precision_name;     ///< "f32"
  std::optional<HeldMatrix> int8; ///< of a file: how 8 bits hold one of its matrices
};

/// One model in full.
std::string render_params(const params::Counted& model, const Trace& trace, const ParamsScreen& screen,
                          const Words& words, const Style& style);

/// Several, a line each.
std::string render_comparison(const std::vector<params::Counted>& models, const Trace& trace,
                              const ParamsScreen& screen, const Words& words, const Style& style);

} // namespace tfx
