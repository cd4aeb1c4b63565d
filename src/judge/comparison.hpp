#pragma once
// A learner's array beside the lesson's: which cells differ, and by how much.
//
// Equal is |yours − lesson's| ≤ r·|lesson's|, with r = 1e-9, or 1e-5 where the array is float32. A sum that
// cancels keeps the rounding errors of its terms, so a cell may also be off by 1e-12 (float32: 1e-6) of the
// largest cell of the tensor. NaN equals NaN, an infinity itself.

#include "core/tensor.hpp"
#include "io/array.hpp"

#include <optional>
#include <vector>

namespace tfx {

struct Tolerance {
  double relative = 1e-9;
  double of_largest = 1e-12; ///< of the largest finite cell of the lesson's tensor
};

/// float32 has about 7 digits; every other type holds what a double says.
Tolerance tolerance_of(DType dtype);

/// Where leading axes of 1 do not count, and a text table's single column is a vector.
enum class FromText { no, yes };

/// `yours` in the lesson's shape, where the two are the same but for leading axes of 1.
std::optional<Tensor> fitted(const Tensor& yours, const Shape& lessons, FromText from_text = FromText::no);

/// `own` with its rows of NaN as zeros where `value` has rows of zeros: where a row may see nothing, NumPy
/// and PyTorch give NaN, the lesson 0.
Tensor with_blocked_rows_of(const Tensor& value, Tensor own);

/// (1, 1, 4, 3) → (4, 3).
Shape without_leading_ones(Shape shape);

/// The largest |x| that is finite, 0 where there is none.
double largest_of(const Tensor& tensor);

struct Difference {
  bool same_shape = false;
  std::size_t cells = 0, different = 0; ///< of the lesson's tensor
  Index first;                          ///< the first cell that differs
  double yours = 0, lessons = 0;        ///< there
  double largest = 0; ///< max |yours − lesson's|; infinite where only one of them is finite

  bool equal() const { return same_shape && different == 0; }
};

/// Of tensors of one shape (see `fitted`); others differ in every cell.
Difference difference(const Tensor& yours, const Tensor& lessons, const Tolerance& tolerance);

/// A value for each cell of two tensors of one shape: whether it differs.
std::vector<bool> differing_cells(const Tensor& yours, const Tensor& lessons, const Tolerance& tolerance);

/// Whether difference(…) would be equal().
bool equal_within(const Tensor& yours, const Tensor& lessons, const Tolerance& tolerance);

} // namespace tfx
