#include "core/broadcast.hpp"

#include "core/error.hpp"
#include "core/stopwatch.hpp"

#include <algorithm>

namespace tfx {

Shape broadcast_shape(const Shape& a, const Shape& b, const Message& what) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape result(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t x = i < a.size() ? a[a.size() - 1 - i] : 1, y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      throw Error(ErrorKind::bad_data,
                  said("{what}: shapes {a} and {b} do not fit",
                       {{"what", what}, {"a", to_string(a)}, {"b", to_string(b)}}),
                  said("aligned at the right, two extents must be equal or one of them 1"));
    result[rank - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

Index broadcast_index(const Shape& shape, const Index& index) {
  Index own(shape.size());
  const std::size_t missing = index.size() - shape.size();
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    own[axis] = shape[axis] == 1 ? 0 : index[missing + axis];
  return own;
}

BroadcastOffset::BroadcastOffset(const Shape& own, const Shape& shape)
    : shape_(shape), at_(shape.size(), 0), strides_(shape.size(), 0) {
  std::size_t stride = 1;
  for (std::size_t i = 1; i <= own.size(); ++i) {
    const std::size_t extent = own[own.size() - i];
    if (extent != 1) strides_[shape.size() - i] = stride;
    stride *= extent;
  }
}

void BroadcastOffset::operator++() {
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    offset_ += strides_[axis];
    if (++at_[axis] < shape_[axis]) return;
    offset_ -= strides_[axis] * shape_[axis];
    at_[axis] = 0;
  }
}

namespace {

std::size_t slice_of(const Shape& own_stack, const Index& index) {
  return offset_of(own_stack, broadcast_index(own_stack, index));
}

// `result_of(index)` is the matrix at each index of the leading axes.
Tensor assemble(const Shape& stack, const std::function<arma::mat(const Index&)>& result_of) {
  const std::size_t count = element_count(stack);
  Tensor result;
  for (std::size_t i = 0; i < count; ++i) {
    const arma::mat value = result_of(index_of(stack, i));
    if (i == 0) {
      const Carrying back;
      Shape shape = stack;
      shape.insert(shape.end(), {value.n_rows, value.n_cols});
      result = Tensor(std::move(shape));
    }
    set_matrix(result, i, value);
  }
  return result;
}

} // namespace

Tensor transposed(const Tensor& tensor) {
  return for_each_matrix(tensor, [](const arma::mat& M) { return arma::mat(M.t()); });
}

Tensor for_each_matrix(const Tensor& a, const std::function<arma::mat(const arma::mat&)>& formula) {
  const Shape stack = stack_shape(a);
  return assemble(stack, [&](const Index& index) { return formula(matrix(a, offset_of(stack, index))); });
}

Tensor for_each_matrix(const Tensor& a, const Tensor& b,
                       const std::function<arma::mat(const arma::mat&, const arma::mat&)>& formula) {
  const Shape in_a = stack_shape(a), in_b = stack_shape(b);
  return assemble(broadcast_shape(in_a, in_b, said("batches")), [&](const Index& index) {
    return formula(matrix(a, slice_of(in_a, index)), matrix(b, slice_of(in_b, index)));
  });
}

Tensor for_each_matrix(
    const Tensor& a, const Tensor& b, const Tensor& c,
    const std::function<arma::mat(const arma::mat&, const arma::mat&, const arma::mat&)>& formula) {
  const Shape in_a = stack_shape(a), in_b = stack_shape(b), in_c = stack_shape(c);
  const Message batches = said("batches");
  const Shape stack = broadcast_shape(broadcast_shape(in_a, in_b, batches), in_c, batches);
  return assemble(stack, [&](const Index& index) {
    return formula(matrix(a, slice_of(in_a, index)), matrix(b, slice_of(in_b, index)),
                   matrix(c, slice_of(in_c, index)));
  });
}

} // namespace tfx
