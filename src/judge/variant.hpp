#pragma once
// Other formulas that could stand in a step's place, and what any step can be instead: an input left out,
// exchanged or turned, the result changed behind. They are no mistakes of the catalogue: they have no advice
// and no property, only a formula. Where one of them gives a learner's array, that formula says what was
// done.

#include "trace/mistake.hpp"

#include <string>
#include <vector>

namespace tfx {

/// A step as another formula gives it.
struct Alternative {
  std::string formula; ///< "gelu(hidden)"
  Tensor value;
};

/// Of the step's operation on the run's tensors as they are now: first those of its kind (another softmax,
/// another activation), then such as any step can have (an input transposed, left out, exchanged). Shapes
/// that do not fit are left out.
std::vector<Alternative> alternatives(const Trace& now, const Step& step);

/// What an operation writes that stands in the step's place with other inputs: "gelu(hidden)"; where that
/// names no input, which one is another: "−Σ w·ln w [weights = weightsᵀ]". Empty where it writes nothing.
std::string formula_of(const Operation& other, const Step& step);

/// Those of the rows that can stand in the step's place, behind what is in `found`. Shapes that do not fit
/// are left out.
void add_rows(const std::vector<WrongFormula>& rows, const Trace& now, const Step& step,
              std::vector<Alternative>& found);

/// The rows that can stand at several steps of the run, each without braces: whoever writes one norm of a
/// layer otherwise writes them all so. Those that are shown alike are together.
std::vector<std::vector<WrongFormula>> rows_of_several(const Trace& run);

/// Formulas in the place of steps, and of any step what its result may be changed to behind. {a|b} stands for
/// a row with each, {scale}, {row} and {matrix} for one with each that the run has, {eps} for those of norms.
const std::vector<WrongFormula>& variant_rows();
const std::vector<WrongFormula>& changes_behind();

} // namespace tfx
