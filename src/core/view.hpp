#pragma once
// A matrix that somebody else owns: column-major, as Armadillo stores it, with a distance between columns of
// its own. It is what kernels take: a slab of columns or a head's rows are views of the same memory.
//
//   element (i, j) = data[i + j·stride]        stride ≥ rows

#include <cassert>
#include <cstddef>
#include <type_traits>

namespace tfx {

template <class T>
struct MatrixView {
  T* data = nullptr;
  std::size_t rows = 0, cols = 0;
  std::size_t stride = 0; ///< elements from a column to the next

  MatrixView() = default;
  MatrixView(T* first, std::size_t n_rows, std::size_t n_cols) : MatrixView(first, n_rows, n_cols, n_rows) {}
  MatrixView(T* first, std::size_t n_rows, std::size_t n_cols, std::size_t distance)
      : data(first), rows(n_rows), cols(n_cols), stride(distance) {
    assert(stride >= rows);
  }

  /// What may be written may be read.
  operator MatrixView<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols, stride}; }

  T* column(std::size_t j) const { return data + j * stride; }
  T& operator()(std::size_t i, std::size_t j) const {
    assert(i < rows && j < cols);
    return data[i + j * stride];
  }

  /// Columns first … first + count − 1.
  MatrixView columns(std::size_t first, std::size_t count) const {
    assert(first + count <= cols);
    return {data + first * stride, rows, count, stride};
  }

  /// Rows first … first + count − 1 of the columns from `first_col` on.
  MatrixView block(std::size_t first, std::size_t count, std::size_t first_col, std::size_t col_count) const {
    assert(first + count <= rows && first_col + col_count <= cols);
    return {data + first + first_col * stride, count, col_count, stride};
  }
};

/// A view that is only read. Real is deduced from the other parameters: a MatrixView<Real> may be passed.
template <class Real>
using ConstMatrixView = MatrixView<const std::type_identity_t<Real>>;

} // namespace tfx
