#pragma once
// A tensor of doubles in C order, and its last two axes as Armadillo matrices in page orientation (a token a
// row).

#include "core/shape.hpp"

#include <armadillo>

#include <vector>

namespace tfx {

struct Tensor {
  Shape shape;
  std::vector<double> data; ///< C order; data.size() == element_count(shape)

  Tensor() = default;
  /// Zeros.
  explicit Tensor(Shape extents) : shape(std::move(extents)), data(element_count(shape), 0.0) {}
  Tensor(Shape extents, std::vector<double> values) : shape(std::move(extents)), data(std::move(values)) {}

  std::size_t rank() const { return shape.size(); }
  std::size_t size() const { return data.size(); }
  double at(const Index& index) const { return data[offset_of(shape, index)]; }
  double& at(const Index& index) { return data[offset_of(shape, index)]; }

  bool operator==(const Tensor&) const = default;
};

/// The shape without its last two axes: batch, heads. Empty for a matrix.
Shape stack_shape(const Tensor& tensor);

/// How many matrices stand in the last two axes.
std::size_t matrix_count(const Tensor& tensor);

/// Matrix `i` of the last two axes, rows × cols as printed.  (…, r, c) → r×c
arma::mat matrix(const Tensor& tensor, std::size_t i = 0);

/// Write `value` as matrix `i` of the last two axes. Sizes must agree.
void set_matrix(Tensor& tensor, std::size_t i, const arma::mat& value);

/// r×c → a tensor of that shape.
Tensor to_tensor(const arma::mat& value);

/// A column vector → a tensor with one axis.
Tensor to_tensor(const arma::vec& value);

} // namespace tfx
