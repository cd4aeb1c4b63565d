#include "core/tensor.hpp"

#include "core/stopwatch.hpp"

#include <algorithm>
#include <cassert>

namespace tfx {

namespace {

// What lies rows × cols in C order, to the same in Armadillo's order of columns, or back with the two counts
// exchanged. In tiles of a line of the cache (8 doubles): along a column of a large matrix every number would
// come from a line of its own. At 512×512 it takes a fifth of what Armadillo's .t() does.
void transpose(const double* from, std::size_t rows, std::size_t cols, double* to) {
  constexpr std::size_t tile = 8;
  for (std::size_t top = 0; top < rows; top += tile)
    for (std::size_t left = 0; left < cols; left += tile) {
      const std::size_t bottom = std::min(top + tile, rows), right = std::min(left + tile, cols);
      for (std::size_t c = left; c < right; ++c)
        for (std::size_t r = top; r < bottom; ++r) to[c * rows + r] = from[r * cols + c];
    }
}

} // namespace

Shape stack_shape(const Tensor& tensor) {
  assert(tensor.rank() >= 2);
  return Shape(tensor.shape.begin(), tensor.shape.end() - 2);
}

std::size_t matrix_count(const Tensor& tensor) {
  return element_count(stack_shape(tensor));
}

arma::mat matrix(const Tensor& tensor, std::size_t i) {
  const std::size_t rows = tensor.shape[tensor.rank() - 2], cols = tensor.shape[tensor.rank() - 1];
  const Carrying to_armadillo;
  arma::mat result(rows, cols, arma::fill::none);
  transpose(tensor.data.data() + i * rows * cols, rows, cols, result.memptr());
  return result;
}

void set_matrix(Tensor& tensor, std::size_t i, const arma::mat& value) {
  const Carrying back;
  const std::size_t rows = tensor.shape[tensor.rank() - 2], cols = tensor.shape[tensor.rank() - 1];
  assert(value.n_rows == rows && value.n_cols == cols);
  transpose(value.memptr(), cols, rows, tensor.data.data() + i * rows * cols);
}

Tensor to_tensor(const arma::mat& value) {
  Tensor tensor(Shape{value.n_rows, value.n_cols});
  set_matrix(tensor, 0, value);
  return tensor;
}

Tensor to_tensor(const arma::vec& value) {
  return Tensor(Shape{value.n_elem}, std::vector<double>(value.begin(), value.end()));
}

} // namespace tfx
