#pragma once
// What a layer's parameters are stored in, and one visitor, each_parameter, that goes over those of any layer
// with a static member `visit(Visit&, prefix, layers…)`, in checkpoint order, under the names of The
// Annotated Transformer's state_dict; with several layers of the same shape (parameters, gradients, moments)
// it visits the tensors that belong together. A layer of Real = float or double holds Armadillo matrices; a
// layer of ShapesOnly knows the shapes alone, so that a model of any size is counted, or compared with a
// file, before memory is taken for it. A token is a column: y = Wᵀ·x + b with W d_in × d_out, whose bytes are
// those of PyTorch's Linear.weight, (d_out, d_in) in C order.

#include "core/shape.hpp"
#include "core/view.hpp"

#include <armadillo>

#include <cstddef>
#include <string>
#include <type_traits>

namespace tfx {

/// The Real of a layer that has shapes but no numbers.
struct ShapesOnly {};

struct MatrixShape {
  std::size_t n_rows = 0, n_cols = 0;

  MatrixShape() = default;
  template <class Fill>
  MatrixShape(std::size_t rows, std::size_t cols, const Fill&) : n_rows(rows), n_cols(cols) {}
  bool is_empty() const { return n_rows == 0 || n_cols == 0; }
};

struct VectorShape {
  std::size_t n_elem = 0;

  VectorShape() = default;
  template <class Fill>
  VectorShape(std::size_t size, const Fill&) : n_elem(size) {}
  bool is_empty() const { return n_elem == 0; }
};

template <class Real>
struct Storage {
  using Matrix = arma::Mat<Real>;
  using Vector = arma::Col<Real>;
};
template <>
struct Storage<ShapesOnly> {
  using Matrix = MatrixShape;
  using Vector = VectorShape;
};

template <class Real>
using Matrix = typename Storage<Real>::Matrix;
template <class Real>
using Vector = typename Storage<Real>::Vector;

/// The shape that PyTorch, npy and safetensors give a parameter.
inline Shape torch_shape(const MatrixShape& matrix) {
  return {matrix.n_cols, matrix.n_rows};
}
inline Shape torch_shape(const VectorShape& vector) {
  return {vector.n_elem};
}
template <class Real>
Shape torch_shape(const arma::Mat<Real>& matrix) {
  return {matrix.n_cols, matrix.n_rows};
}
template <class Real>
Shape torch_shape(const arma::Col<Real>& vector) {
  return {vector.n_elem};
}

/// The kernels' view of a matrix.
template <class Real>
MatrixView<Real> view(arma::Mat<Real>& matrix) {
  return {matrix.memptr(), matrix.n_rows, matrix.n_cols};
}
template <class Real>
MatrixView<const Real> view(const arma::Mat<Real>& matrix) {
  return {matrix.memptr(), matrix.n_rows, matrix.n_cols};
}

/// A matrix whose cells are yet to be written.
template <class Real>
arma::Mat<Real> unset(std::size_t rows, std::size_t cols) {
  return arma::Mat<Real>(rows, cols, arma::fill::none);
}

/// "encoder" and "norm" → "encoder.norm"; nothing and "norm" → "norm".
inline std::string join_names(const std::string& prefix, const std::string& name) {
  return prefix.empty() ? name : prefix + "." + name;
}

template <class First, class... Others>
First& first_of(First& first, Others&...) {
  return first;
}

/// A layer and the gradients of its parameters: what backward takes. Gradients of parameters are added to,
/// those of activations overwritten.
template <class Layer>
struct Trainable {
  const Layer& layer;
  Layer& gradient;
};

template <class Visit, class Layer, class... Others>
void each_parameter(Visit&& visit, const std::string& prefix, Layer& layer, Others&... others) {
  std::remove_const_t<Layer>::visit(visit, prefix, layer, others...);
}

} // namespace tfx
