#pragma once
// A tensor of doubles in C order, its last two axes as Armadillo matrices in page orientation (a token a
// row), and NumPy's broadcasting: shapes are aligned at the right, an extent of 1 (or a missing axis) is
// repeated.

#include "core/shape.hpp"

#include <armadillo>

#include <functional>
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

/// `count` cells from `first` on that hold whole numbers, 0 and above: ids of tokens, places.
arma::uvec whole_numbers(const Tensor& tensor, std::size_t first, std::size_t count);
/// All of them.
arma::uvec whole_numbers(const Tensor& tensor);

/// The common shape; Error(bad_data) with both shapes where there is none. `what` names the operation.
Shape broadcast_shape(const Shape& a, const Shape& b, const Message& what);

/// The cell of a tensor of `shape` that stands at `index` of the broadcast result.
Index broadcast_index(const Shape& shape, const Index& index);

/// Walks the cells of `shape` in C order beside a tensor of shape `own` that is broadcast to it: where in
/// that tensor's data each cell's partner stands.
class BroadcastOffset {
public:
  BroadcastOffset(const Shape& own, const Shape& shape);

  std::size_t operator*() const { return offset_; }
  void operator++();

private:
  const Shape& shape_;
  Index at_;
  std::vector<std::size_t> strides_; ///< 0 along an axis that is repeated
  std::size_t offset_ = 0;
};

/// The last two axes exchanged.
Tensor transposed(const Tensor& tensor);

/// One formula on every matrix of the last two axes; the leading axes (batch, heads) are broadcast.
Tensor for_each_matrix(const Tensor& a, const std::function<arma::mat(const arma::mat&)>& formula);
Tensor for_each_matrix(const Tensor& a, const Tensor& b,
                       const std::function<arma::mat(const arma::mat&, const arma::mat&)>& formula);
Tensor for_each_matrix(
    const Tensor& a, const Tensor& b, const Tensor& c,
    const std::function<arma::mat(const arma::mat&, const arma::mat&, const arma::mat&)>& formula);

} // namespace tfx
