#include "lessons/fitting.hpp"

#include "lessons/mistake.hpp"

#include <algorithm>

namespace tfx {

namespace {

// As NumPy broadcasts: aligned at the right, two extents are equal or one of them is 1.
void require_broadcast(const std::string& operation, const Shape& a, const Shape& b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const std::size_t x = a[a.size() - i], y = b[b.size() - i];
    if (x != y && x != 1 && y != 1) refuse_shapes(operation, x, y);
  }
}

class Inputs {
public:
  Inputs(const Trace& trace, const How& how) : trace_(trace), how_(how) {}

  const Tensor& operator[](std::size_t i) const { return trace_[how_.inputs[i]]; }
  std::size_t count() const { return how_.inputs.size(); }
  std::string named(std::size_t i) const { return with_shape(how_.inputs[i], (*this)[i].shape); }

  std::size_t rows(std::size_t i) const { return (*this)[i].shape[(*this)[i].rank() - 2]; }
  std::size_t columns(std::size_t i) const { return (*this)[i].shape.back(); }

  /// The first `some` of them are stacks of matrices that broadcast.
  void matrices(std::size_t some) const {
    for (std::size_t i = 0; i < some; ++i)
      if ((*this)[i].rank() < 2) refuse_shapes(named(i), (*this)[i].rank(), 2);
    for (std::size_t i = 1; i < some; ++i)
      require_broadcast(named(0) + ", " + named(i), stack_shape((*this)[0]), stack_shape((*this)[i]));
  }
  void broadcast() const {
    for (std::size_t i = 1; i < count(); ++i)
      require_broadcast(named(0) + ", " + named(i), (*this)[0].shape, (*this)[i].shape);
  }
  void equal(std::size_t i, std::size_t j, std::size_t a, std::size_t b) const {
    if (a != b) refuse_shapes(named(i) + ", " + named(j), a, b);
  }
  void same_rows(std::size_t i, std::size_t j) const { equal(i, j, rows(i), rows(j)); }
  void same_matrix(std::size_t i, std::size_t j) const {
    same_rows(i, j);
    equal(i, j, columns(i), columns(j));
  }
  void same_shape(std::size_t i, std::size_t j) const {
    const Shape &a = (*this)[i].shape, &b = (*this)[j].shape;
    equal(i, j, a.size(), b.size());
    for (std::size_t axis = 0; axis < a.size(); ++axis) equal(i, j, a[axis], b[axis]);
  }
  /// Every number of input `ids` is a row of `rows`, of the table called `table`.
  void rows_there(const std::string& table, std::size_t rows, std::size_t ids) const {
    for (const double id : (*this)[ids].data)
      if (id >= static_cast<double>(rows))
        refuse_shapes(table + "[" + how_.inputs[ids] + "]", rows, static_cast<std::size_t>(id) + 1);
  }

private:
  const Trace& trace_;
  const How& how_;
};

// A·B, or A·Bᵀ, and a bias of as many numbers as the product has columns.
void require_product(const Inputs& inputs, const How& how) {
  inputs.matrices(2);
  const bool turned = how.op == Op::matmul_transposed;
  Shape b = inputs[1].shape;
  if (turned) std::swap(b[b.size() - 2], b.back());
  if (inputs.columns(0) != b[b.size() - 2])
    refuse_shapes(inputs.named(0) + " · " + with_shape(how.inputs[1] + (turned ? "ᵀ" : ""), b),
                  inputs.columns(0), b[b.size() - 2]);
  if (inputs.count() == 3 && inputs[2].size() != b.back())
    refuse_shapes(with_shape(how.inputs[1], b) + " + " + inputs.named(2), b.back(), inputs[2].size());
}

// Aᵀ·B, summed onto the result.
void require_transposed(const Inputs& inputs, const How& how, const Shape& result) {
  inputs.matrices(inputs.count());
  inputs.same_rows(0, 1);
  const Shape product = {inputs.columns(0), inputs.columns(1)};
  require_broadcast(with_shape(how.inputs[0] + "ᵀ·" + how.inputs[1], product) + ", " + to_string(result),
                    product, result);
}

// Rows of labels, each the number of a column.
void require_labelled(const Inputs& inputs) {
  const std::size_t V = inputs.columns(2), rows = inputs[2].size() / std::max<std::size_t>(V, 1);
  inputs.equal(2, 0, rows, inputs[0].size());
  for (const std::size_t ids : {0, 1}) inputs.rows_there(inputs.named(2), V, ids);
}

} // namespace

void require_fitting(const Trace& trace, const How& how, const Shape& result) {
  const Inputs inputs(trace, how);
  switch (how.op) {
  case Op::matmul:
  case Op::matmul_transposed:
  case Op::weighted_sum: return require_product(inputs, how);
  case Op::transposed_matmul: return require_transposed(inputs, how, result);
  case Op::variance_gradient:
  case Op::entropy_gradient: inputs.matrices(inputs.count()); return inputs.same_rows(0, 1);
  case Op::mask_fill:
  case Op::mask_keep:
  case Op::softmax_gradient:
  case Op::log_softmax_gradient:
  case Op::relu_gradient:
  case Op::sqrt_gradient: inputs.matrices(inputs.count()); return inputs.same_matrix(0, 1);
  case Op::divisor_gradient:
    inputs.matrices(inputs.count());
    inputs.same_matrix(0, 1);
    return inputs.same_rows(0, 2);
  case Op::std_gradient:
    inputs.matrices(inputs.count());
    inputs.same_rows(0, 1);
    return inputs.same_rows(1, 2);
  case Op::add:
  case Op::subtract:
  case Op::multiply:
  case Op::normalize:
  case Op::both: return inputs.broadcast();
  case Op::divide_by:
  case Op::sum_over:
    inputs.broadcast();
    return require_broadcast(inputs.named(0) + ", " + to_string(result), inputs[0].shape, result);
  case Op::divergence:
  case Op::total:
    for (std::size_t i = 1; i < inputs.count(); ++i) inputs.same_shape(0, i);
    return;
  case Op::gather:
    return inputs.rows_there(inputs.named(0), inputs[0].size() / std::max<std::size_t>(inputs.columns(0), 1),
                             1);
  case Op::scatter:
    if (inputs[0].size() != inputs[1].size() * result.back())
      refuse_shapes(inputs.named(0) + ", " + inputs.named(1), inputs[0].size(),
                    inputs[1].size() * result.back());
    return inputs.rows_there(to_string(result), result.front(), 1);
  case Op::smoothed_target: return require_labelled(inputs);
  case Op::split_heads:
    if (const auto h = static_cast<std::size_t>(how.constant); inputs.columns(0) % h != 0)
      refuse_shapes(inputs.named(0) + " % " + std::to_string(h), inputs.columns(0) % h, 0);
    return;
  case Op::merge_heads:
    if (inputs[0].rank() < 3) refuse_shapes(inputs.named(0), inputs[0].rank(), 3);
    return;
  default: return;
  }
}

} // namespace tfx
