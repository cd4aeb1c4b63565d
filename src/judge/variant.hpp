#pragma once
// Other formulas that could stand in a step's place, and what any step can be instead: an input left out,
// exchanged or turned, the result changed behind. They are no mistakes of the catalogue: they have no advice
// and no property, only a formula. Where one of them gives a learner's array, that formula says what was
// done.

#include "trace/trace.hpp"

#include <string>
#include <vector>

namespace tfx {

/// A step as another formula gives it.
struct Alternative {
  std::string formula; ///< "gelu(hidden)"
  Tensor value;
};

/// A family of them for one step, on the run's tensors as they are now.
class Family {
protected:
  Family(const Trace& now, const Step& step) : now_(now), step_(step) {}
  void add(std::string formula, Tensor value) { found_.push_back({std::move(formula), std::move(value)}); }

  const Trace& now_;
  const Step& step_;
  std::vector<Alternative> found_;
};

/// Of the step's operation on the run's tensors as they are now: first those of its kind (another softmax,
/// another activation), then such as any step can have (an input transposed, left out, exchanged). Shapes
/// that do not fit are left out.
std::vector<Alternative> alternatives(const Trace& now, const Step& step);

/// What an operation writes that stands in the step's place with other inputs: "gelu(hidden)"; where that
/// names no input, which one is another: "−Σ w·ln w [weights = weightsᵀ]". Empty where it writes nothing.
std::string formula_of(const Operation& other, const Step& step);

/// Those of one norm of a layer, in an order that is the same for each: whoever writes one writes them all
/// so.
std::vector<Alternative> of_norm(const Trace& now, const Step& step);

/// What attention and its masks are written as; what layers, losses and gradients are; what any step can be.
std::vector<Alternative> of_attention(const Trace& now, const Step& step);
std::vector<Alternative> of_layers(const Trace& now, const Step& step);
std::vector<Alternative> of_any(const Trace& now, const Step& step);

/// A size of the run that a scale can be made of: "n_k", 5.
struct Size {
  std::string name;
  double value = 0;
};
std::vector<Size> sizes_of(const Trace& trace);

} // namespace tfx
