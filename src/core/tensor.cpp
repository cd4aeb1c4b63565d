#include "core/tensor.hpp"

#include <cassert>

namespace tfx {

Shape stack_shape(const Tensor& tensor) {
  assert(tensor.rank() >= 2);
  return Shape(tensor.shape.begin(), tensor.shape.end() - 2);
}

std::size_t matrix_count(const Tensor& tensor) {
  return element_count(stack_shape(tensor));
}

arma::mat matrix(const Tensor& tensor, std::size_t i) {
  const std::size_t rows = tensor.shape[tensor.rank() - 2], cols = tensor.shape[tensor.rank() - 1];
  // C order of (rows, cols) is Armadillo's column-major (cols, rows).
  return arma::mat(tensor.data.data() + i * rows * cols, cols, rows).t();
}

void set_matrix(Tensor& tensor, std::size_t i, const arma::mat& value) {
  const std::size_t rows = tensor.shape[tensor.rank() - 2], cols = tensor.shape[tensor.rank() - 1];
  assert(value.n_rows == rows && value.n_cols == cols);
  double* out = tensor.data.data() + i * rows * cols;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) *out++ = value(r, c);
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
