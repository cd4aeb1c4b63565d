#include "lessons/compute.hpp"

#include "core/broadcast.hpp"
#include "core/error.hpp"
#include "lessons/08_multihead/heads.hpp"
#include "lessons/backward.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

using arma::mat;
using arma::vec;

Tensor cells(const Tensor& A, const std::function<double(double)>& formula) {
  Tensor result = A;
  for (double& x : result.data) x = formula(x);
  return result;
}

// Cell by cell, of the shape that broadcasting gives.
Tensor cells(const Tensor& A, const Tensor& B, const std::function<double(double, double)>& formula) {
  Tensor result(broadcast_shape(A.shape, B.shape, "cells"));
  const bool plain = A.shape == B.shape;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (plain) {
      result.data[i] = formula(A.data[i], B.data[i]);
      continue;
    }
    const Index index = index_of(result.shape, i);
    result.data[i] = formula(A.at(broadcast_index(A.shape, index)), B.at(broadcast_index(B.shape, index)));
  }
  return result;
}

// The cell of a smaller tensor that `index` of a larger one falls on; axes align at the right.
Index falls_on(const Shape& shape, const Index& index) {
  Index at(shape.size(), 0);
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1 && index.size() + axis >= shape.size())
      at[axis] = index[index.size() + axis - shape.size()];
  return at;
}

// Every cell of A added to the cell of the result that it falls on; A of fewer cells is repeated.
Tensor sum_onto(const Tensor& A, const Shape& shape) {
  Tensor result(shape);
  const Shape common = broadcast_shape(A.shape, shape, "a sum");
  for (std::size_t i = 0; i < element_count(common); ++i) {
    const Index index = index_of(common, i);
    result.at(falls_on(shape, index)) += A.at(falls_on(A.shape, index));
  }
  return result;
}

std::size_t rows_of(const Tensor& A) {
  return A.shape[A.rank() - 2];
}

Tensor sum_over(const How& how, const Shape& shape, const TensorNamed& tensor) {
  const Tensor& A = tensor(how.inputs[0]);
  Tensor sum = sum_onto(
      how.inputs.size() == 2 ? cells(A, tensor(how.inputs[1]), [](double a, double b) { return a * b; }) : A,
      shape);
  for (double& x : sum.data) x *= how.constant;
  return sum;
}

Tensor transposed_product(const Tensor& A, const Tensor& B, const Shape& shape) {
  return sum_onto(for_each_matrix(A, B, [](const mat& a, const mat& b) { return mat(a.t() * b); }), shape);
}

Tensor scatter(const Tensor& A, const Tensor& ids, const Shape& shape) {
  Tensor table(shape);
  const std::size_t width = shape.back();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto row = static_cast<std::size_t>(ids.data[i]);
    for (std::size_t j = 0; j < width; ++j) table.data[row * width + j] += A.data[i * width + j];
  }
  return table;
}

Tensor gather(const Tensor& table, const Tensor& ids) {
  Shape shape = ids.shape;
  shape.push_back(table.shape.back());
  Tensor rows(shape);
  const std::size_t width = shape.back();
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::size_t j = 0; j < width; ++j)
      rows.data[i * width + j] = table.data[static_cast<std::size_t>(ids.data[i]) * width + j];
  return rows;
}

Tensor target(const Tensor& labels, const Tensor& pad_id, const Shape& shape, double smoothing) {
  Tensor result(shape);
  const std::size_t n = labels.shape.back();
  for (std::size_t i = 0; i < labels.size() / n; ++i) {
    arma::uvec ids(n);
    for (std::size_t j = 0; j < n; ++j) ids(j) = static_cast<arma::uword>(labels.data[i * n + j]);
    set_matrix(result, i,
               page::smoothed_target(ids, shape.back(), smoothing, static_cast<arma::uword>(pad_id.data[0])));
  }
  return result;
}

double mean_of_all(const How& how, const TensorNamed& tensor) {
  double sum = 0;
  for (const std::string& name : how.inputs) sum += arma::mean(vec(tensor(name).data));
  return sum;
}

} // namespace

Tensor compute(const How& how, const Shape& shape, const TensorNamed& tensor) {
  const auto input = [&](std::size_t i) -> const Tensor& { return tensor(how.inputs[i]); };
  const double c = how.constant;
  switch (how.op) {
  // forward
  case Op::matmul:
    if (how.inputs.size() == 2)
      return for_each_matrix(input(0), input(1),
                             [](const mat& X, const mat& W) { return page::project(X, W); });
    return for_each_matrix(input(0), input(1), [&](const mat& X, const mat& W) {
      return page::project(X, W, arma::rowvec(input(2).data));
    });
  case Op::matmul_transposed: return for_each_matrix(input(0), input(1), page::scores);
  case Op::weighted_sum: return for_each_matrix(input(0), input(1), page::weighted_sum);
  case Op::add: return cells(input(0), input(1), [](double a, double b) { return a + b; });
  case Op::subtract: return cells(input(0), input(1), [](double a, double b) { return a - b; });
  case Op::multiply: return cells(input(0), input(1), [](double a, double b) { return a * b; });
  case Op::divide_by: return sum_onto(cells(input(0), [&](double a) { return a / c; }), shape);
  case Op::multiply_by: return cells(input(0), [&](double a) { return a * c; });
  case Op::add_constant: return cells(input(0), [&](double a) { return a + c; });
  case Op::normalize:
    return cells(input(0), input(1), [&](double a, double b) { return b == 0 ? c : a / b; });
  case Op::exp: return cells(input(0), [](double a) { return std::exp(a); });
  case Op::sqrt: return cells(input(0), [](double a) { return std::sqrt(a); });
  case Op::relu: return cells(input(0), [](double a) { return std::max(a, 0.0); });
  case Op::row_max:
    return for_each_matrix(input(0), [](const mat& S) { return mat(page::softmax(S).row_max); });
  case Op::row_sum: return for_each_matrix(input(0), [](const mat& A) { return mat(arma::sum(A, 1)); });
  case Op::row_mean: return for_each_matrix(input(0), [](const mat& X) { return mat(arma::mean(X, 1)); });
  case Op::row_variance:
    return for_each_matrix(input(0), [](const mat& X) { return mat(arma::var(X, 1, 1)); });
  case Op::row_std: return for_each_matrix(input(0), [](const mat& X) { return mat(arma::stddev(X, 0, 1)); });
  case Op::entropy: return for_each_matrix(input(0), [](const mat& W) { return mat(page::entropy(W)); });
  case Op::causal_mask: return to_tensor(page::causal_mask(rows_of(input(0)), input(0).shape.back()));
  case Op::padding_mask: {
    const std::size_t n_k = input(0).shape.back(); // of a wrong run there may be fewer than are padding
    return to_tensor(page::padding_mask(rows_of(input(0)), n_k, std::min(static_cast<std::size_t>(c), n_k)));
  }
  case Op::both: {
    Tensor all = input(0);
    for (std::size_t i = 1; i < how.inputs.size(); ++i)
      all = cells(all, input(i), [](double a, double b) { return a * b; });
    return all;
  }
  case Op::softmax:
    return for_each_matrix(input(0), [&](const mat& S) { return page::softmax(S, c).weights; });
  case Op::log_softmax: return for_each_matrix(input(0), page::log_softmax);
  case Op::mask_fill: return for_each_matrix(input(0), input(1), page::mask_fill);
  case Op::gather: return gather(input(0), input(1));
  case Op::angle: return to_tensor(page::angles(vec(input(0).data), static_cast<arma::uword>(c)));
  case Op::sin_cos: return for_each_matrix(input(0), page::sinusoids);
  case Op::first_max: return for_each_matrix(input(0), page::first_max);
  case Op::smoothed_target: return target(input(0), input(1), input(2).shape, c);
  case Op::split_heads: return split_heads(input(0), static_cast<std::size_t>(c));
  case Op::merge_heads: return merge_heads(input(0));
  case Op::divergence: {
    double sum = 0;
    for (std::size_t i = 0; i < matrix_count(input(0)); ++i)
      sum += page::divergence(matrix(input(0), i), matrix(input(1), i), c);
    return Tensor({}, {sum});
  }
  case Op::mean: return Tensor({}, {mean_of_all(how, tensor)});
  // backward
  case Op::uniform: return Tensor(input(0).shape, std::vector<double>(input(0).size(), c));
  case Op::total: {
    Tensor sum = input(0);
    for (std::size_t i = 1; i < how.inputs.size(); ++i)
      for (std::size_t k = 0; k < sum.size(); ++k) sum.data[k] += input(i).data[k];
    return sum;
  }
  case Op::sum_over: return sum_over(how, shape, tensor);
  case Op::transposed_matmul: return transposed_product(input(0), input(1), shape);
  case Op::mask_keep: return for_each_matrix(input(0), input(1), page::mask_backward);
  case Op::scatter: return scatter(input(0), input(1), shape);
  case Op::softmax_gradient: return for_each_matrix(input(0), input(1), page::softmax_backward);
  case Op::log_softmax_gradient: return for_each_matrix(input(0), input(1), page::log_softmax_backward);
  case Op::entropy_gradient:
    return for_each_matrix(input(0), input(1),
                           [](const mat& d, const mat& A) { return page::entropy_backward(d.col(0), A); });
  case Op::relu_gradient: return for_each_matrix(input(0), input(1), page::relu_backward);
  case Op::divisor_gradient:
    return for_each_matrix(input(0), input(1), input(2), [](const mat& d, const mat& N, const mat& divisor) {
      return mat(page::divisor_backward(d, N, divisor.col(0)));
    });
  case Op::sqrt_gradient: return for_each_matrix(input(0), input(1), page::sqrt_backward);
  case Op::variance_gradient:
    return for_each_matrix(input(0), input(1),
                           [](const mat& d, const mat& X) { return page::variance_backward(d.col(0), X); });
  case Op::std_gradient:
    return for_each_matrix(input(0), input(1), input(2), [](const mat& d, const mat& X, const mat& std) {
      return page::std_backward(d.col(0), X, std.col(0));
    });
  default: break;
  }
  throw Error(ErrorKind::internal,
              "nothing computes the operation " + std::string(name_of(how.op)) + " again");
}

} // namespace tfx
