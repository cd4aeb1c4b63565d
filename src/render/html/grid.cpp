#include "render/html/grid.hpp"

#include <algorithm>

namespace tfx {

std::size_t slices_of(const Tensor& tensor) {
  return tensor.rank() < 3 ? 1 : matrix_count(tensor);
}

ShownCells shown_cells(const Tensor& tensor) {
  constexpr std::size_t max_shown = 16, edge = 4, small = 512;
  ShownCells shown;
  const std::size_t count = slices_of(tensor);
  shown.slices = tensor.size() <= small ? count : std::min<std::size_t>(count, 1);
  const Shape& shape = tensor.shape;
  shown.rows = shown_of(shape.empty()       ? 1
                        : shape.size() == 1 ? shape[0]
                                            : shape[shape.size() - 2],
                        max_shown, edge);
  shown.columns = shown_of(shape.size() < 2 ? 1 : shape.back(), max_shown, edge);
  return shown;
}

std::size_t flat_index(const Tensor& tensor, std::size_t slice, std::size_t row, std::size_t column) {
  if (tensor.rank() < 2) return row;
  const std::size_t n = tensor.shape[tensor.rank() - 2], m = tensor.shape.back();
  return (slice * n + row) * m + column;
}

} // namespace tfx
