#include "core/tensor.hpp"

#include "core/error.hpp"
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

arma::uvec whole_numbers(const Tensor& tensor, std::size_t first, std::size_t count) {
  arma::uvec numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers(i) = static_cast<arma::uword>(tensor.data[first + i]);
  return numbers;
}

arma::uvec whole_numbers(const Tensor& tensor) {
  return whole_numbers(tensor, 0, tensor.size());
}

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
