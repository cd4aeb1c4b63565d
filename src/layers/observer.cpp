#include "layers/observer.hpp"

namespace tfx {

template <class Real>
Tensor to_tensor(const StridedView<Real>& view) {
  Tensor tensor(view.shape);
  Index index(view.shape.size(), 0);
  for (double& cell : tensor.data) {
    std::size_t offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * view.strides[axis];
    cell = static_cast<double>(view.data[offset]);
    for (std::size_t axis = index.size(); axis-- > 0 && ++index[axis] == view.shape[axis];) index[axis] = 0;
  }
  return tensor;
}

template Tensor to_tensor(const StridedView<float>&);
template Tensor to_tensor(const StridedView<double>&);

} // namespace tfx
