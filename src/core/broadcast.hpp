#pragma once
// NumPy's broadcasting: shapes are aligned at the right, an extent of 1 (or a missing axis) is repeated.

#include "core/tensor.hpp"

#include <functional>

namespace tfx {

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
