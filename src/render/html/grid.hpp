#pragma once
// Which cells of a tensor an HTML document shows: a small stack whole, of a large one the first matrix; of a
// long axis its ends, as NumPy prints it.

#include "render/matrix.hpp"
#include "trace/trace.hpp"

namespace tfx {

struct ShownCells {
  std::size_t slices = 1; ///< matrices, from the first on
  Shown rows, columns;
};

ShownCells shown_cells(const Tensor& tensor);

/// The place of a shown cell in the tensor's C order.
std::size_t flat_index(const Tensor& tensor, std::size_t slice, std::size_t row, std::size_t column);

/// Matrices in a stack; 1 for a matrix, a vector, a scalar.
std::size_t slices_of(const Tensor& tensor);

} // namespace tfx
